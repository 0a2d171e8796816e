// SPDX-License-Identifier: Apache-2.0
// Products of panels of intervals are, number by number, what plain C makes of the leaves one after
// another, for every table of inner loops.

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ref/base/isa.h"
#include "ref/num/product/intervals.h"
#include "ref/num/product/kernel.h"

enum { DEPTH = 37, STRIDE = 11, SUMS = NUM_PANEL * STRIDE, PANEL = DEPTH * NUM_INTERVAL_NUMBERS };

struct side {
    double middle[DEPTH][NUM_PANEL], magnitude[DEPTH][NUM_PANEL], radius[DEPTH][NUM_PANEL];
    double panel[PANEL];
};

static double draw(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(int64_t)*seed * 0x1p-63;
}

// The first `count` vectors of a panel; zeros fill it up.
static void make(struct side *side, size_t count, uint64_t seed)
{
    memset(side, 0, sizeof *side);
    for (size_t i = 0; i < PANEL; i++)
        side->panel[i] = (double)NAN;
    for (size_t k = 0; k < DEPTH; k++) {
        for (size_t v = 0; v < count; v++) {
            side->middle[k][v] = draw(&seed) / 3;
            side->radius[k][v] = fabs(draw(&seed)) * 0x1p-9;
            side->magnitude[k][v] = fabs(side->middle[k][v]) + side->radius[k][v];
        }
        num_intervals_pack(count, side->middle[k], side->magnitude[k], side->radius[k], k, DEPTH,
                           side->panel);
    }
}

static void holds_for(const struct num_kernel *kernel)
{
    static struct side left, right;
    for (size_t count = 1; count <= NUM_PANEL; count++) {
        double middle[SUMS], magnitude[SUMS], radius[SUMS];
        const struct num_interval_tile tile = {DEPTH,  STRIDE,    left.panel, right.panel,
                                               middle, magnitude, radius};
        make(&left, count, 3);
        make(&right, NUM_PANEL + 1 - count, 8);
        for (size_t i = 0; i < SUMS; i++)
            middle[i] = magnitude[i] = radius[i] = (double)i;
        kernel->multiply_intervals(&tile);
        for (size_t i = 0; i < NUM_PANEL; i++)
            for (size_t o = 0; o < STRIDE; o++) {
                const size_t at = i * STRIDE + o;
                double m = (double)at, size = m, width = m;
                for (size_t k = 0; k < DEPTH && o < NUM_PANEL; k++) {
                    m += left.middle[k][i] * right.middle[k][o];
                    size += left.magnitude[k][i] * right.magnitude[k][o];
                    width += left.radius[k][i] * right.magnitude[k][o] +
                             fabs(left.middle[k][i]) * right.radius[k][o];
                }
                assert_true(middle[at] == m && magnitude[at] == size && radius[at] == width);
            }
    }
}

// Sums of widths in f32: no order but that of the depth, and no fused operation.
static void widths_hold_for(const struct num_kernel *kernel)
{
    enum { APART = NUM_WIDTH_PANEL + 3, LENGTH = DEPTH * NUM_WIDTH_NUMBERS };
    static float left[LENGTH], right[LENGTH];
    static double to[NUM_WIDTH_PANEL * APART];
    float first[NUM_WIDTH_PANEL], second[NUM_WIDTH_PANEL];
    uint64_t seed = 5;
    for (size_t count = 1; count <= NUM_WIDTH_PANEL; count++) {
        const struct num_width_tile tile = {DEPTH, APART, left, right, to};
        for (size_t k = 0; k < 2 * DEPTH; k++) {
            for (size_t v = 0; v < count; v++) {
                first[v] = (float)fabs(draw(&seed));
                second[v] = (float)fabs(draw(&seed)) / 3;
            }
            num_widths_pack(count, first, second, k / 2, DEPTH, k % 2 ? right : left);
        }
        for (size_t i = 0; i < NUM_WIDTH_PANEL * APART; i++)
            to[i] = (double)i;
        kernel->multiply_widths(&tile);
        for (size_t i = 0; i < NUM_WIDTH_PANEL; i++)
            for (size_t o = 0; o < APART; o++) {
                float sum = 0;
                for (size_t k = 0; k < DEPTH && o < NUM_WIDTH_PANEL; k++) {
                    const float *const a = left + k * NUM_WIDTH_NUMBERS + i,
                                       *const b = right + k * NUM_WIDTH_NUMBERS + o;
                    const float one = a[0] * b[0], two = a[NUM_WIDTH_PANEL] * b[NUM_WIDTH_PANEL],
                                both = one + two;
                    assert_true(i < count || a[0] == 0);
                    sum += both;
                }
                assert_true(to[i * APART + o] == (double)(i * APART + o) + (double)sum);
            }
    }
}

static void both_hold_for(const struct num_kernel *kernel)
{
    holds_for(kernel);
    widths_hold_for(kernel);
}

static void sums_are_those_of_plain_c(void **state)
{
    (void)state;
    both_hold_for(&num_kernel_portable);
    both_hold_for(num_kernel_chosen());
#if defined(__x86_64__)
    if (isa_available(ISA_AVX2))
        both_hold_for(&num_kernel_avx2);
    if (isa_available(ISA_AVX512))
        both_hold_for(&num_kernel_avx512);
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_those_of_plain_c),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
