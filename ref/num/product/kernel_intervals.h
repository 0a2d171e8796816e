// SPDX-License-Identifier: Apache-2.0
// Sums of products of intervals on vectors (intervals.h): each product and each sum is rounded, so
// that the bytes are the same for any vectors. Included by kernel_body.h.

// Rows of a tile whose three sums stay in registers.
enum { INTERVAL_ROWS = LANES < NUM_PANEL ? 4 : NUM_PANEL };

static inline __attribute__((always_inline)) void add_intervals(
    const struct num_interval_tile *tile, size_t row, size_t column)
{
    vector middle[INTERVAL_ROWS], magnitude[INTERVAL_ROWS], radius[INTERVAL_ROWS];
    const size_t to = row * tile->stride + column;
#pragma GCC unroll 8
    for (size_t r = 0; r < INTERVAL_ROWS; r++) {
        middle[r] = load(tile->middle + to + r * tile->stride);
        magnitude[r] = load(tile->magnitude + to + r * tile->stride);
        radius[r] = load(tile->radius + to + r * tile->stride);
    }
    for (size_t k = 0; k < tile->depth; k++) {
        const double *const left = tile->left + k * NUM_INTERVAL_NUMBERS + row,
                            *const right = tile->right + k * NUM_INTERVAL_NUMBERS + column;
        const vector number = load(right), size = load(right + NUM_PANEL),
                     width = load(right + 2 * NUM_PANEL);
#pragma GCC unroll 8
        for (size_t r = 0; r < INTERVAL_ROWS; r++) {
            middle[r] += splat(left[r]) * number;
            magnitude[r] += splat(left[NUM_PANEL + r]) * size;
            radius[r] +=
                splat(left[2 * NUM_PANEL + r]) * size + splat(left[3 * NUM_PANEL + r]) * width;
        }
    }
#pragma GCC unroll 8
    for (size_t r = 0; r < INTERVAL_ROWS; r++) {
        store(tile->middle + to + r * tile->stride, middle[r]);
        store(tile->magnitude + to + r * tile->stride, magnitude[r]);
        store(tile->radius + to + r * tile->stride, radius[r]);
    }
}

static void multiply_intervals(const struct num_interval_tile *tile)
{
    for (size_t row = 0; row < NUM_PANEL; row += INTERVAL_ROWS)
        for (size_t column = 0; column < NUM_PANEL; column += LANES)
            add_intervals(tile, row, column);
}

// ---- widths -----------------------------------------------------------------

typedef float floats __attribute__((vector_size(8 * LANES)));

enum { FLOATS = 2 * LANES, WIDTH_ROWS = 8 };

static inline floats load_floats(const float *from)
{
    floats x;
    memcpy(&x, from, sizeof x);
    return x;
}

static inline __attribute__((always_inline)) void add_widths(const struct num_width_tile *tile,
                                                             size_t row, size_t column)
{
    floats sum[WIDTH_ROWS];
#pragma GCC unroll 8
    for (size_t r = 0; r < WIDTH_ROWS; r++)
        sum[r] = (floats){0};
    for (size_t k = 0; k < tile->depth; k++) {
        const float *const left = tile->left + k * NUM_WIDTH_NUMBERS + row,
                           *const right = tile->right + k * NUM_WIDTH_NUMBERS + column;
        const floats first = load_floats(right), second = load_floats(right + NUM_WIDTH_PANEL);
#pragma GCC unroll 8
        for (size_t r = 0; r < WIDTH_ROWS; r++)
            sum[r] += left[r] * first + left[NUM_WIDTH_PANEL + r] * second;
    }
    for (size_t r = 0; r < WIDTH_ROWS; r++) {
        double *const to = tile->to + (row + r) * tile->stride + column;
        float part[FLOATS];
        memcpy(part, &sum[r], sizeof part);
        for (size_t i = 0; i < FLOATS; i++)
            to[i] += (double)part[i];
    }
}

static void multiply_widths(const struct num_width_tile *tile)
{
    for (size_t row = 0; row < NUM_WIDTH_PANEL; row += WIDTH_ROWS)
        for (size_t column = 0; column < NUM_WIDTH_PANEL; column += FLOATS)
            add_widths(tile, row, column);
}
