// SPDX-License-Identifier: Apache-2.0
// The innermost loop of products of panels, written once. Included by kernel_body.h for each type
// in which products are summed, which defines
//
//   MULTIPLY           the function's name
//   PANELS             how many panels it takes at a time: 1 or 2
//   NUMBER, SUM        the type of a number on the left, and of a vector of sums
//   LOAD(from, apart)  as many floats as a vector of sums has lanes, or their magnitudes: the
//                      panel's, and where it has not so many the next one's, `apart` floats later
//   STEP(a, b, c)      a * b + c, with one rounding or with two
//   PUT(begins, to, sum)  stores a vector of sums as doubles, or adds it to them

// All sums stay in registers: `rows` is a constant wherever this is called. Their zeros are written
// one by one, since gcc would otherwise clear an array in memory first.
static inline __attribute__((always_inline)) void MULTIPLY(size_t rows,
                                                           const struct num_strip *strip)
{
    enum {
        WIDTH = sizeof(SUM) / sizeof(NUMBER),
        EACH = WIDTH < NUM_PANEL ? NUM_PANEL / WIDTH : 1,
        VECTORS = PANELS * NUM_PANEL / WIDTH
    };
    const NUMBER *const left = strip->left;
    const float *const panel = strip->panel, *soon = strip->soon;
    const size_t depth = strip->depth, apart = strip->apart, pace = strip->pace;
    SUM sum[NUM_PRODUCT_ROWS_MAX][VECTORS];
#pragma GCC unroll 16
    for (size_t r = 0; r < rows; r++)
#pragma GCC unroll 16
        for (size_t j = 0; j < VECTORS; j++)
            sum[r][j] = (SUM){0};
    for (size_t k = 0; k < depth; k++, soon += pace) {
        SUM right[VECTORS];
        for (size_t j = 0; j < PANELS; j++)
            __builtin_prefetch(soon + j * apart, 0, 2);
        for (size_t j = 0; j < VECTORS; j++)
            right[j] = LOAD(panel + j / EACH * apart + k * NUM_PANEL + j % EACH * WIDTH, apart);
        for (size_t r = 0; r < rows; r++) {
            const SUM factor = left[k * rows + r] - (SUM){0};
            for (size_t j = 0; j < VECTORS; j++)
                sum[r][j] = (SUM)STEP(factor, right[j], sum[r][j]);
        }
    }
    for (size_t r = 0; r < rows; r++)
        for (size_t j = 0; j < VECTORS; j++)
            PUT(strip->begins, strip->to + r * strip->stride + j * WIDTH, sum[r][j]);
}

#undef MULTIPLY
#undef PANELS
#undef NUMBER
#undef SUM
#undef LOAD
#undef STEP
#undef PUT
