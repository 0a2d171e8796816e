// SPDX-License-Identifier: Apache-2.0
// The innermost loop of products of panels, written once. Included by kernel_body.h for each way to
// read numbers on the right, which defines
//
//   MULTIPLY    the function's name
//   LOAD(from)  as many floats as a vector has lanes, or their magnitudes, in double

// All sums stay in registers: `rows` is a constant wherever this is called. Their zeros are written
// one by one, since gcc would otherwise clear an array in memory first.
static inline __attribute__((always_inline)) void MULTIPLY(size_t rows,
                                                           const struct num_strip *strip)
{
    enum { VECTORS = NUM_PANEL / LANES };
    const double *const left = strip->left;
    const float *const panel = strip->panel, *soon = strip->soon;
    const size_t depth = strip->depth, pace = strip->pace;
    vector sum[NUM_PRODUCT_ROWS_MAX][VECTORS];
#pragma GCC unroll 16
    for (size_t r = 0; r < rows; r++)
#pragma GCC unroll 16
        for (size_t j = 0; j < VECTORS; j++)
            sum[r][j] = (vector){0};
    for (size_t k = 0; k < depth; k++, soon += pace) {
        vector right[VECTORS];
        __builtin_prefetch(soon, 0, 2);
        for (size_t j = 0; j < VECTORS; j++)
            right[j] = LOAD(panel + k * NUM_PANEL + j * LANES);
        for (size_t r = 0; r < rows; r++) {
            const vector factor = splat(left[k * rows + r]);
            for (size_t j = 0; j < VECTORS; j++)
                sum[r][j] = fused(factor, right[j], sum[r][j]);
        }
    }
    for (size_t r = 0; r < rows; r++)
        for (size_t j = 0; j < VECTORS; j++) {
            double *const to = strip->to + r * strip->stride + j * LANES;
            store(to, strip->begins ? sum[r][j] : load(to) + sum[r][j]);
        }
}

#undef MULTIPLY
#undef LOAD
