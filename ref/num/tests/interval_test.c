// SPDX-License-Identifier: Apache-2.0
// Intervals hold what they must hold, by MPFR, and are hardly wider than that.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>

#include "ref/num/function/interval.h"
#include "ref/num/product/matrix.h"
#include "ref/num/tests/function_oracle.h"

static double number(uint64_t *seed)
{
    return ldexp((double)(int64_t)oracle_random(seed), -63 + (int)(oracle_random(seed) % 12) - 6);
}

static struct interval some_interval(uint64_t *seed)
{
    const double a = number(seed),
                 b = oracle_random(seed) % 3
                         ? a + fabs(a) * 0x1p-20 * (double)(oracle_random(seed) % 5)
                         : number(seed);
    return (struct interval){fmin(a, b), fmax(a, b)};
}

// A point of the interval: an end or something between.
static double point(struct interval a, uint64_t *seed)
{
    const uint64_t choice = oracle_random(seed) % 4;
    const double t = (double)(oracle_random(seed) >> 11) * 0x1p-53;
    const double x = choice == 0   ? a.lower
                     : choice == 1 ? a.upper
                                   : a.lower + t * (a.upper - a.lower);
    return fmin(fmax(x, a.lower), a.upper);
}

static void assert_holds(struct interval a, mpfr_srcptr exact, const char *what)
{
    if (mpfr_cmp_d(exact, a.lower) < 0 || mpfr_cmp_d(exact, a.upper) > 0)
        fail_msg("%s: %a is not in [%a, %a]", what, mpfr_get_d(exact, MPFR_RNDN), a.lower, a.upper);
}

static void operations_hold_the_exact_results_of_their_points(void **state)
{
    (void)state;
    uint64_t seed = 31;
    mpfr_t p, q, exact;
    mpfr_inits2(400, p, q, exact, (mpfr_ptr)0);
    for (int n = 0; n < 20000; n++) {
        const struct interval a = some_interval(&seed), b = some_interval(&seed);
        const double x = point(a, &seed), y = point(b, &seed);
        mpfr_set_d(p, x, MPFR_RNDN);
        mpfr_set_d(q, y, MPFR_RNDN);
        mpfr_add(exact, p, q, MPFR_RNDN);
        assert_holds(interval_add(a, b), exact, "add");
        mpfr_sub(exact, p, q, MPFR_RNDN);
        assert_holds(interval_subtract(a, b), exact, "subtract");
        mpfr_mul(exact, p, q, MPFR_RNDN);
        assert_holds(interval_multiply(a, b), exact, "multiply");
        const double middle = interval_middle(a), radius = interval_radius(a);
        mpfr_sub_d(exact, p, middle, MPFR_RNDN);
        assert_holds((struct interval){-radius, radius}, exact, "radius");
        const struct interval tight = interval_multiply(interval_of(x), interval_of(y));
        assert_true(tight.upper - tight.lower <= fabs(x * y) * 0x1p-50 + 0x1p-1070);
    }
    mpfr_clears(p, q, exact, (mpfr_ptr)0);
}

// Every exact sum that rounds to x lies between its neighbours: also at powers of two, where ties
// go down or up.
static void outward_rounding_moves_every_number(void **state)
{
    (void)state;
    static const double at[] = {1,  -1, 1.5,       -1.5,       0x1.0000000000001p0,   2,
                                -2, 0,  0x1p-1074, -0x1p-1022, 0x1.fffffffffffffp1022};
    for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
        assert_true(interval_below(at[i]) < at[i] && interval_above(at[i]) > at[i]);
        assert_true(interval_below(at[i]) >= nextafter(nextafter(at[i], -INFINITY), -INFINITY));
    }
    const struct interval unknown =
        interval_add((struct interval){-INFINITY, INFINITY}, (struct interval){1, INFINITY});
    assert_true(unknown.lower == -INFINITY && unknown.upper == INFINITY);
    assert_true(interval_is_any(unknown));
    assert_true(interval_is_any(
        interval_multiply((struct interval){0, 1}, (struct interval){0, INFINITY})));
    assert_false(interval_is_any(
        interval_multiply((struct interval){1, 2}, (struct interval){1, INFINITY})));
}

static struct interval function_of(enum num_function function, struct interval x)
{
    struct interval result;
    interval_function_array(function, &x.lower, &x.upper, 1, &result.lower, &result.upper);
    return result;
}

static void functions_hold_their_values(void **state)
{
    (void)state;
    uint64_t seed = 37;
    mpfr_t x, y;
    mpfr_init2(x, 53);
    mpfr_init2(y, ORACLE_BITS);
    static const enum num_function functions[] = {NUM_EXP,         NUM_EXPM1, NUM_LOG,
                                                  NUM_LOG1P,       NUM_TANH,  NUM_LOGISTIC,
                                                  NUM_EXPONENTIAL, NUM_GUMBEL};
    for (size_t f = 0; f < sizeof functions / sizeof *functions; f++)
        for (int n = 0; n < 4000; n++) {
            struct interval a = some_interval(&seed);
            if (n % 8 == 0)
                a = (struct interval){a.lower * 100, a.upper * 100 + 900};
            const double at = point(a, &seed);
            mpfr_set_d(x, at, MPFR_RNDN);
            oracle_function(functions[f], y, x);
            const struct interval range = function_of(functions[f], a);
            if (mpfr_nan_p(y))
                continue;
            assert_holds(range, y, function_name(functions[f]));
            const struct interval narrow = function_of(functions[f], interval_of(at));
            if (isfinite(at) && fabs(at) < 700 && functions[f] != NUM_GUMBEL)
                assert_true(narrow.upper - narrow.lower <= interval_magnitude(narrow) * 0x1p-44);
        }
    mpfr_clears(x, y, (mpfr_ptr)0);
}

static void ulps_and_low_bits_are_those_of_the_format(void **state)
{
    (void)state;
    assert_true(num_ulp(DTYPE_F32, 1) == 0x1p-23 && num_ulp(DTYPE_F32, 1.99) == 0x1p-23 &&
                num_ulp(DTYPE_F32, 2) == 0x1p-22);
    assert_true(num_ulp(DTYPE_F32, 0) == 0x1p-149 && num_ulp(DTYPE_F32, 0x1p-140) == 0x1p-149 &&
                num_ulp(DTYPE_BF16, 1) == 0x1p-7);
    assert_true(num_half_ulp(DTYPE_F32, 1) == 0x1p-24 &&
                num_half_ulp(DTYPE_F32, 0x1.ffffffp0) == 0x1p-23);
    assert_true(num_half_ulp(DTYPE_F32, 0x1.ffffp127) == 0x1p103 &&
                isinf(num_half_ulp(DTYPE_F32, 0x1.ffffffp127)) &&
                isinf(num_half_ulp(DTYPE_F16, 65520)));
    assert_true(num_low_bit(12) == 4 && num_low_bit(-0.75) == 0.25 && num_low_bit(0) == INFINITY &&
                num_low_bit(0x1p-1074) == 0x1p-1074 && num_low_bit(0x1.8p-1030) == 0x1p-1031 &&
                num_low_bit(0x1.0000000000001p-1000) == 0x1p-1052 && isinf(num_low_bit(INFINITY)));
    assert_true(num_ulp(DTYPE_F64, 0x1p-1060) == 0x1p-1074 && num_ulp(DTYPE_F64, 0) == 0x1p-1074 &&
                num_ulp(DTYPE_F64, 0x1p1023) == 0x1p971 && isinf(num_ulp(DTYPE_F32, INFINITY)));
    const struct interval stored = interval_round(DTYPE_BF16, (struct interval){1.0039, 1.00391});
    assert_true(stored.lower == 1 && stored.upper == 1.0078125);
    const struct interval single =
        interval_round(DTYPE_F32, (struct interval){1 + 0x1p-30, 0x1.000003p0});
    assert_true(single.lower == 1 && single.upper == 0x1.000004p0);
}

// Sums in f32 in several orders, against the radius for that many leaves.
static void no_order_of_a_sum_leaves_its_radius(void **state)
{
    (void)state;
    uint64_t seed = 41;
    enum { DEPTH = 96 };
    for (int n = 0; n < 2000; n++) {
        float a[DEPTH], b[DEPTH], up = 0, down = 0, tree[DEPTH];
        double magnitude = 0, middle = 0;
        for (size_t k = 0; k < DEPTH; k++) {
            a[k] = (float)(number(&seed) + (n % 2 ? 40 : 0)), b[k] = (float)number(&seed);
            magnitude += fabs((double)a[k] * (double)b[k]);
            middle += (double)a[k] * (double)b[k];
            tree[k] = a[k] * b[k];
        }
        for (size_t k = 0; k < DEPTH; k++) {
            up += a[k] * b[k];
            down += a[DEPTH - 1 - k] * b[DEPTH - 1 - k];
        }
        for (size_t width = DEPTH; width > 1; width = (width + 1) / 2)
            for (size_t k = 0; k < width / 2; k++)
                tree[k] += tree[width - 1 - k];
        const double radius = num_dot_radius(DEPTH, DEPTH, 0x1p-24, 0, magnitude, 0);
        assert_true(fabs(up - middle) <= radius && fabs(down - middle) <= radius &&
                    fabs(tree[0] - middle) <= radius);
    }
}

static void matrices_multiply_within_their_stated_error(void **state)
{
    (void)state;
    enum { ROWS = 7, DEPTH = 300, COLUMNS = 11 };
    static double a[ROWS][DEPTH], c[2][ROWS][COLUMNS + 2];
    static float b[COLUMNS][DEPTH];
    static double buffer[2 * NUM_PANEL * DEPTH];
    uint64_t seed = 43;
    for (size_t k = 0; k < DEPTH; k++) {
        for (size_t r = 0; r < ROWS; r++)
            a[r][k] = number(&seed);
        for (size_t j = 0; j < COLUMNS; j++)
            b[j][k] = (float)number(&seed);
    }
    struct num_operand right;
    size_t bytes;
    assert_int_equal(num_operand_prepare(&right,
                                         &(struct num_view){DTYPE_F32, b, COLUMNS, DEPTH, DEPTH, 1},
                                         buffer, NULL),
                     ERROR_NONE);
    assert_true(num_matrix_workspace(ROWS, &bytes));
    void *const work = malloc(bytes);
    for (int magnitudes = 0; magnitudes < 2; magnitudes++)
        num_matrix_add(ROWS, a[0], &right, magnitudes, c[magnitudes][0], COLUMNS + 2, work);
    free(work);
    for (size_t i = 0; i < 2 * ROWS * COLUMNS; i++) {
        const size_t magnitudes = i / (ROWS * COLUMNS), r = i / COLUMNS % ROWS, j = i % COLUMNS;
        mpfr_t sum, product;
        mpfr_init2(sum, 400);
        mpfr_init2(product, 106);
        double magnitude = 0;
        mpfr_set_d(sum, c[magnitudes][r][j], MPFR_RNDN);
        for (size_t k = 0; k < DEPTH; k++) {
            const double factor = (double)(magnitudes ? fabsf(b[j][k]) : b[j][k]);
            mpfr_set_d(product, a[r][k], MPFR_RNDN);
            mpfr_mul_d(product, product, -factor, MPFR_RNDN);
            mpfr_add(sum, sum, product, MPFR_RNDN);
            magnitude += fabs(a[r][k] * factor);
        }
        assert_true(fabs(mpfr_get_d(sum, MPFR_RNDN)) <= (DEPTH + 1) * 0x1p-53 * magnitude);
        mpfr_clears(sum, product, (mpfr_ptr)0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operations_hold_the_exact_results_of_their_points),
        cmocka_unit_test(outward_rounding_moves_every_number),
        cmocka_unit_test(functions_hold_their_values),
        cmocka_unit_test(ulps_and_low_bits_are_those_of_the_format),
        cmocka_unit_test(no_order_of_a_sum_leaves_its_radius),
        cmocka_unit_test(matrices_multiply_within_their_stated_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
