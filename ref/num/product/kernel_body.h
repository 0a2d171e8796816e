// SPDX-License-Identifier: Apache-2.0
// The inner loops, written once. Included once by each file of an instruction set, which includes
// its vectors (vector.h) and defines KERNEL.

#include <math.h>

#include "ref/num/product/intervals.h"
#include "ref/num/product/kernel.h"
#include "ref/num/product/product.h"

static void widen(size_t count, const float *in, double *out)
{
    size_t i = 0;
    for (; i + LANES <= count; i += LANES)
        store(out + i, load_widened(in + i));
    for (; i < count; i++)
        out[i] = (double)in[i];
}

#define EACH(expression)                                                                           \
    for (; i + LANES <= count; i += LANES) {                                                       \
        const vector a = load(x + i);                                                              \
        store(value + i, load(value + i) * (expression));                                          \
    }                                                                                              \
    for (; i < count; i++) {                                                                       \
        const double a = x[i];                                                                     \
        value[i] *= (expression);                                                                  \
    }                                                                                              \
    break

static void multiply(enum num_form form, size_t count, const double *x, const double *y,
                     double *value)
{
    size_t i = 0;
    switch (form) {
    case NUM_VALUE:
        EACH(a);
    case NUM_COMPLEMENT:
        EACH(1 - a);
    case NUM_LESS_SQUARE:
        EACH(a * (1 - a));
    case NUM_COMPLEMENT_SQUARE:
        EACH((1 - a) * (1 + a));
    case NUM_DIFFERENCE:
        for (; i + LANES <= count; i += LANES)
            store(value + i, load(value + i) * (load(x + i) - load(y + i)));
        for (; i < count; i++)
            value[i] *= x[i] - y[i];
        break;
    }
}

static void add_term(size_t count, const double *term, double *value, double *magnitude)
{
    size_t i = 0;
    for (; i + LANES <= count; i += LANES) {
        const vector x = load(term + i);
        store(value + i, load(value + i) + x);
        store(magnitude + i, load(magnitude + i) + absolute(x));
    }
    for (; i < count; i++) {
        value[i] += term[i];
        magnitude[i] += fabs(term[i]);
    }
}

static void add_scaled(size_t count, double scale, const double *x, double *to)
{
    size_t i = 0;
    for (; i + LANES <= count; i += LANES)
        store(to + i, load(to + i) + scale * load(x + i));
    for (; i < count; i++)
        to[i] += scale * x[i];
}

// ---- sums of products -------------------------------------------------------

static inline vector load_magnitudes(const float *from)
{
    return absolute(load_widened(from));
}

#define MULTIPLY multiply_numbers
#define LOAD(from) load_widened(from)
#include "ref/num/product/kernel_rows.h"

#define MULTIPLY multiply_sizes
#define LOAD(from) load_magnitudes(from)
#include "ref/num/product/kernel_rows.h"

// A case for each number of rows, so that it is a constant in each.
#define CASE(count, most, multiply, of)                                                            \
    case count:                                                                                    \
        if ((count) <= (most))                                                                     \
            multiply(count, of);                                                                   \
        break
#define CASES(most, multiply, of)                                                                  \
    _Static_assert((most) <= NUM_PRODUCT_ROWS_MAX && NUM_PRODUCT_ROWS_MAX == 16,                   \
                   "a case for each number of rows");                                              \
    switch ((of)->rows) {                                                                          \
        CASE(1, most, multiply, of);                                                               \
        CASE(2, most, multiply, of);                                                               \
        CASE(3, most, multiply, of);                                                               \
        CASE(4, most, multiply, of);                                                               \
        CASE(5, most, multiply, of);                                                               \
        CASE(6, most, multiply, of);                                                               \
        CASE(7, most, multiply, of);                                                               \
        CASE(8, most, multiply, of);                                                               \
        CASE(9, most, multiply, of);                                                               \
        CASE(10, most, multiply, of);                                                              \
        CASE(11, most, multiply, of);                                                              \
        CASE(12, most, multiply, of);                                                              \
        CASE(13, most, multiply, of);                                                              \
        CASE(14, most, multiply, of);                                                              \
        CASE(15, most, multiply, of);                                                              \
        CASE(16, most, multiply, of);                                                              \
    }

static void multiply_panel(const struct num_strip *strip)
{
    CASES(PRODUCT_ROWS, multiply_numbers, strip)
}

static void multiply_magnitudes(const struct num_strip *strip)
{
    CASES(PRODUCT_ROWS, multiply_sizes, strip)
}

#include "ref/num/product/kernel_intervals.h"
#include "ref/num/product/kernel_upward.h"

static void multiply_integers(const struct num_tile *tile)
{
    CASES(INTEGER_ROWS, multiply_pairs, tile)
}

// ---- packing ----------------------------------------------------------------

enum { SQUARES = NUM_PANEL / LANES }; // vectors of a panel's sums

static inline void add_squares(const float *numbers, vector sum[SQUARES])
{
    for (size_t j = 0; j < SQUARES; j++) {
        const vector x = load_widened(numbers + j * LANES);
        sum[j] = fused(x, x, sum[j]);
    }
}

static void pack_across(size_t lines, size_t vectors, const float *const *line, float *panel,
                        size_t stride, double *squares)
{
    size_t first = 0;
    for (; first + NUM_PANEL <= vectors; first += NUM_PANEL, panel += stride) {
        vector sum[SQUARES];
        memcpy(sum, squares + first, sizeof sum);
        for (size_t k = 0; k < lines; k++) {
            memcpy(panel + k * NUM_PANEL, line[k] + first, NUM_PANEL * sizeof *panel);
            add_squares(line[k] + first, sum);
        }
        memcpy(squares + first, sum, sizeof sum);
    }
    for (size_t k = 0; k < lines; k++)
        for (size_t v = first; v < vectors; v++) {
            const double x = panel[k * NUM_PANEL + v - first] = line[k][v];
            squares[v] += x * x;
        }
}

enum { SQUARE = 4 }; // numbers of four lines

typedef float quad __attribute__((vector_size(4 * SQUARE)));

static inline quad load_quad(const float *from)
{
    quad x;
    memcpy(&x, from, sizeof x);
    return x;
}

// The first numbers of all four lines, the second ones, and so on, NUM_PANEL apart.
static inline void turn(const float *const *line, size_t at, float *to)
{
    const quad a = load_quad(line[0] + at), b = load_quad(line[1] + at),
               c = load_quad(line[2] + at), d = load_quad(line[3] + at);
    const quad low = __builtin_shufflevector(a, b, 0, 4, 1, 5),
               high = __builtin_shufflevector(a, b, 2, 6, 3, 7),
               low_next = __builtin_shufflevector(c, d, 0, 4, 1, 5),
               high_next = __builtin_shufflevector(c, d, 2, 6, 3, 7);
    const quad turned[SQUARE] = {__builtin_shufflevector(low, low_next, 0, 1, 4, 5),
                                 __builtin_shufflevector(low, low_next, 2, 3, 6, 7),
                                 __builtin_shufflevector(high, high_next, 0, 1, 4, 5),
                                 __builtin_shufflevector(high, high_next, 2, 3, 6, 7)};
    for (size_t i = 0; i < SQUARE; i++)
        memcpy(to + i * NUM_PANEL, &turned[i], sizeof turned[i]);
}

static void pack_along(size_t depth, const float *const *line, float *panel, double *squares)
{
    vector even[SQUARES], odd[SQUARES] = {{0}};
    size_t k = 0;
    for (; k + SQUARE <= depth; k += SQUARE)
        for (size_t half = 0; half < NUM_PANEL; half += SQUARE)
            turn(line + half, k, panel + k * NUM_PANEL + half);
    for (; k < depth; k++)
        for (size_t v = 0; v < NUM_PANEL; v++)
            panel[k * NUM_PANEL + v] = line[v][k];
    memcpy(even, squares, sizeof even);
    for (k = 0; k + 2 <= depth; k += 2) {
        add_squares(panel + k * NUM_PANEL, even);
        add_squares(panel + (k + 1) * NUM_PANEL, odd);
    }
    if (k < depth)
        add_squares(panel + k * NUM_PANEL, even);
    for (size_t j = 0; j < SQUARES; j++)
        even[j] += odd[j];
    memcpy(squares, even, sizeof even);
}

// ---- the rounding test ------------------------------------------------------

// value +- error in double is off by one rounding each; 2^-52 of the value covers it. An infinite
// value has NaN for an end.
static inline void ends(vector value, vector error, vector *low, vector *high)
{
    const vector e = fused(absolute(value), splat(0x1p-52), error);
    *low = value - e;
    *high = value + e;
}

// Notes the lanes that are not closed.
static inline size_t note(mask is_closed, size_t at, uint16_t *open, size_t opened)
{
    for (size_t lane = 0; lane < LANES; lane++) {
        open[opened] = (uint16_t)(at + lane);
        opened += !is_closed[lane];
    }
    return opened;
}

static inline mask test_f32(const double *value, const double *error, float *out)
{
    vector low, high;
    narrow rounded;
    const vector v = load(value), e = load(error);
    ends(v, e, &low, &high);
    const mask same = same_float(low, high, &rounded);
    memcpy(out, &rounded, sizeof rounded);
    return same & (mask)(absolute(v) > e);
}

// To nearest even at `precision` bits: just below half a unit, and one more when the last kept bit
// is 1.
static inline vector to_grid(const struct num_grid *grid, vector x)
{
    const int dropped = 53 - grid->precision;
    const words bits = (words)x, unit = (words){0} + (UINT64_C(1) << dropped);
    const words up = bits + ((unit >> 1) - 1) + ((bits >> dropped) & 1);
    const vector normal = (vector)(up & ~(unit - 1));
    const vector below = (x + grid->shifter) - grid->shifter;
    const vector signed_below =
        (vector)((words)absolute(below) | (bits & UINT64_C(0x8000000000000000)));
    return choose((mask)(absolute(x) < grid->least_normal), signed_below, normal);
}

static inline mask test_grid(const struct num_grid *grid, const double *value, const double *error,
                             float *out)
{
    vector low, high;
    const vector v = load(value), e = load(error);
    ends(v, e, &low, &high);
    const vector rounded_low = to_grid(grid, low), rounded_high = to_grid(grid, high);
    const narrow result = (narrow)NARROW(rounded_low);
    memcpy(out, &result, sizeof result);
    return (mask)((rounded_low == rounded_high) & (absolute(v) > e) &
                  (absolute(rounded_high) <= grid->largest));
}

// Four vectors at a time, so that looking for open lanes costs little; the rest one by one in
// padded copies.
static inline __attribute__((always_inline)) size_t certify(const struct num_grid *grid,
                                                            size_t count, const double *value,
                                                            const double *error, float *out,
                                                            uint16_t *open)
{
    enum { STEP = 4 * LANES };
    size_t opened = 0, i = 0;
    for (; i + STEP <= count; i += STEP) {
        mask is_closed[4];
        for (size_t j = 0; j < 4; j++) {
            const size_t at = i + j * LANES;
            is_closed[j] = grid ? test_grid(grid, value + at, error + at, out + at)
                                : test_f32(value + at, error + at, out + at);
        }
        if (!ALL(is_closed[0] & is_closed[1] & is_closed[2] & is_closed[3]))
            for (size_t j = 0; j < 4; j++)
                opened = note(is_closed[j], i + j * LANES, open, opened);
    }
    for (; i < count; i += LANES) {
        double v[LANES] = {0}, e[LANES] = {0};
        float rounded[LANES];
        const size_t left = count - i < LANES ? count - i : LANES;
        memcpy(v, value + i, left * sizeof *v);
        memcpy(e, error + i, left * sizeof *e);
        const mask is_closed = grid ? test_grid(grid, v, e, rounded) : test_f32(v, e, rounded);
        memcpy(out + i, rounded, left * sizeof *rounded);
        for (size_t lane = 0; lane < left; lane++) {
            open[opened] = (uint16_t)(i + lane);
            opened += !is_closed[lane];
        }
    }
    return opened;
}

static size_t certify_f32(size_t count, const double *value, const double *error, float *out,
                          uint16_t *open)
{
    return certify(NULL, count, value, error, out, open);
}

static size_t certify_grid(const struct num_grid *grid, size_t count, const double *value,
                           const double *error, float *out, uint16_t *open)
{
    return certify(grid, count, value, error, out, open);
}

const struct num_kernel KERNEL = {
    .widen = widen,
    .multiply = multiply,
    .add_term = add_term,
    .add_scaled = add_scaled,
    .product_rows = PRODUCT_ROWS,
    .integer_rows = INTEGER_ROWS,
    .multiply_panel = multiply_panel,
    .multiply_magnitudes = multiply_magnitudes,
    .multiply_integers = multiply_integers,
    .multiply_intervals = multiply_intervals,
    .multiply_widths = multiply_widths,
    .round_up = round_up,
    .round_panel_up = round_panel_up,
    .pack_across = pack_across,
    .pack_along = pack_along,
    .certify_f32 = certify_f32,
    .certify_grid = certify_grid,
};
