// SPDX-License-Identifier: Apache-2.0
// Magnitudes rounded up to integers, and sums of their products (upward.h), on vectors. Included by
// kernel_body.h.

#include <float.h>

#include "ref/num/product/upward.h"

// ---- rounding up ------------------------------------------------------------

// What a block is multiplied by, and what its integers stand for; from the bits of its largest
// number. 2^-11 more than that is below 2^12 units, so no integer is above 4095. False where the
// number is none, or too large or too small.
static inline bool scale_of(int64_t most, double *scale, double *unit)
{
    const int64_t margin = INT64_C(1) << 41, exponent = (most + margin) >> 52;
    const uint64_t up = (uint64_t)(2057 - exponent) << 52, down = (uint64_t)(exponent - 11) << 52;
    const bool nothing = most == 0, known = exponent >= 523 && exponent <= 1523;
    memcpy(scale, &up, sizeof up);
    memcpy(unit, &down, sizeof down);
    *scale = known ? *scale : 0;
    *unit = known ? *unit : 0;
    return known || nothing;
}

// x * scale rounded up: what is lost where that is too small for a double makes 1 of it, too.
static inline vector rounded_up(vector x, vector scale)
{
    const vector scaled = x * scale;
    const vector whole =
        __builtin_convertvector(__builtin_convertvector(scaled, narrow_mask), vector);
    const mask above = (whole < scaled) | ((whole == 0) & (x != 0));
    return whole + choose(above, splat(1), splat(0));
}

static inline vector ones(vector x)
{
    return choose((mask)(x != 0), splat(1), splat(0));
}

static inline mask larger_bits(mask a, vector magnitude)
{
    const mask b = (mask)magnitude, which = a > b;
    return (which & a) | (~which & b);
}

// Integers that are not 0 are this on average, or the rounding is too coarse.
enum { LEAST_AVERAGE = 64 };

static bool round_up(size_t count, const double *x, uint32_t *pairs, double *unit)
{
    double padded[NUM_UPWARD_BLOCK] = {0}, scale;
    int32_t whole[NUM_UPWARD_BLOCK];
    mask most = {0};
    vector sum = {0}, many = {0};
    const size_t all = (count + LANES - 1) / LANES * LANES;
    memcpy(padded, x, count * sizeof *x);
    for (size_t k = 0; k < all; k += LANES)
        most = larger_bits(most, absolute(load(padded + k)));
    int64_t largest = 0;
    for (size_t lane = 0; lane < LANES; lane++)
        largest = most[lane] > largest ? most[lane] : largest;
    if (!scale_of(largest, &scale, unit))
        return false;
    for (size_t k = 0; k < all; k += LANES) {
        const vector number = load(padded + k), up = rounded_up(number, splat(scale));
        const narrow_mask integer = __builtin_convertvector(up, narrow_mask);
        memcpy(whole + k, &integer, sizeof integer);
        sum += up;
        many += ones(number);
    }
    for (size_t k = all; k < count + 1 && k < NUM_UPWARD_BLOCK; k++)
        whole[k] = 0;
    for (size_t k = 0; k < (count + 1) / 2; k++)
        pairs[k] = (uint32_t)(whole[2 * k] | whole[2 * k + 1] << 16);
    double total = 0, numbers = 0;
    for (size_t lane = 0; lane < LANES; lane++) {
        total += sum[lane];
        numbers += many[lane];
    }
    return total >= LEAST_AVERAGE * numbers;
}

// As many vectors as a vector has lanes, NUM_PANEL numbers apart.
static inline bool round_lanes_up(size_t count, const float *panel, uint32_t *pairs, double *unit)
{
    mask most = {0};
    vector scale = {0}, sum = {0}, many = {0};
    bool close = true;
    for (size_t k = 0; k < count; k++)
        most = larger_bits(most, load_magnitudes(panel + k * NUM_PANEL));
    for (size_t lane = 0; lane < LANES; lane++) {
        double of_lane;
        close = scale_of(most[lane], &of_lane, &unit[lane]) && close;
        scale[lane] = of_lane;
    }
    if (!close)
        return false;
    for (size_t k = 0; k < count; k += 2) {
        const vector even = load_magnitudes(panel + k * NUM_PANEL),
                     odd =
                         k + 1 < count ? load_magnitudes(panel + (k + 1) * NUM_PANEL) : (vector){0};
        const vector below = rounded_up(even, scale), above = rounded_up(odd, scale);
        const narrow_mask pair = __builtin_convertvector(below + 0x1p16 * above, narrow_mask);
        memcpy(pairs + k / 2 * NUM_UPWARD_PANEL, &pair, sizeof pair);
        sum += below + above;
        many += ones(even) + ones(odd);
    }
    for (size_t lane = 0; lane < LANES; lane++)
        close = close && sum[lane] >= LEAST_AVERAGE * many[lane];
    return close;
}

static bool round_panel_up(size_t count, const float *panel, uint32_t *pairs, double *unit)
{
    bool close = true;
    for (size_t v = 0; v < NUM_PANEL; v += LANES)
        close = round_lanes_up(count, panel + v, pairs + v, unit + v) && close;
    return close;
}

// ---- sums of products -------------------------------------------------------

// Integers below 2^32 as doubles, by way of signed ones.
static inline void add_integers(double *to, const uint32_t *from, double left_unit,
                                const double *right_unit)
{
    for (size_t i = 0; i < INTEGERS; i += LANES) {
        narrow_mask moved;
        memcpy(&moved, from + i, sizeof moved);
        moved ^= INT32_MIN;
        const vector sum = __builtin_convertvector(moved, vector) + 0x1p31;
        store(to + i, load(to + i) + sum * (left_unit * load(right_unit + i)));
    }
}

static inline __attribute__((always_inline)) void multiply_pairs(size_t rows,
                                                                 const struct num_tile *tile)
{
    enum { VECTORS = NUM_UPWARD_PANEL / INTEGERS };
    const uint32_t *const left = tile->left, *const panel = tile->right, *soon = tile->soon;
    const size_t pairs = tile->pairs, apart = tile->apart, pace = tile->pace;
    integers sum[NUM_PRODUCT_ROWS_MAX][VECTORS];
#pragma GCC unroll 16
    for (size_t r = 0; r < rows; r++)
#pragma GCC unroll 16
        for (size_t j = 0; j < VECTORS; j++)
            sum[r][j] = (integers){0};
    for (size_t k = 0; k < pairs; k++, soon += pace) {
        integers right[VECTORS];
        __builtin_prefetch(soon, 0, 3);
        for (size_t j = 0; j < VECTORS; j++)
            memcpy(&right[j], panel + k * NUM_UPWARD_PANEL + j * INTEGERS, sizeof right[j]);
        for (size_t r = 0; r < rows; r++) {
            const integers factor = left[k * apart + r] - (integers){0};
            for (size_t j = 0; j < VECTORS; j++)
                sum[r][j] = ADD_PAIRS(factor, right[j], sum[r][j]);
        }
    }
    for (size_t r = 0; r < rows; r++)
        for (size_t j = 0; j < VECTORS; j++) {
            uint32_t part[INTEGERS];
            memcpy(part, &sum[r][j], sizeof part);
            add_integers(tile->to + r * tile->stride + j * INTEGERS, part, tile->left_unit[r],
                         tile->right_unit + j * INTEGERS);
        }
}
