// SPDX-License-Identifier: Apache-2.0
// One-rounding nodes against MPFR, which holds the exact value, and IEEE 754's special cases.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "ref/num/small_float.h"
#include "ref/num/tests/oracle.h"

static const enum dtype dtypes[] = {DTYPE_F8E4M3, DTYPE_F8E5M2, DTYPE_F16,
                                    DTYPE_BF16,   DTYPE_F32,    DTYPE_F64};

enum { EXACT_BITS = 4300 }; // holds a * b + c of any doubles

static void assert_value(enum dtype dtype, const char *what, const uint64_t *in, uint64_t got,
                         mpfr_srcptr exact)
{
    const double expected = oracle_round(dtype, exact, MPFR_RNDN);
    const double value = num_to_double(dtype, got);
    if (isnan(value) ? !isnan(expected) : value != expected) // zeros' signs have their own test
        fail_msg("%s %s(%llx, %llx, %llx): got %a, expected %a", dtype_name(dtype), what,
                 (unsigned long long)in[0], (unsigned long long)in[1], (unsigned long long)in[2],
                 value, expected);
}

// Data that hurts: any bits, exponents close together, numbers around the ends of the range, near
// cancellations.
static uint64_t operand(enum dtype dtype, uint64_t *seed, int style, uint64_t like)
{
    const unsigned width = dtype_bits(dtype);
    const uint64_t random = oracle_random(seed),
                   mask = width == 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;
    uint64_t bits = random & mask;
    if (style == 1)
        bits = num_from_double(
            dtype, ldexp((double)(int64_t)random, -63 + (int)(oracle_random(seed) % 8)));
    else if (style == 2)
        bits = (like ^ (UINT64_C(1) << (width - 1))) + random % 5;
    else if (style == 3)
        bits = (random & 3) | (random & UINT64_C(1) << 40 ? UINT64_C(1) << (width - 1) : 0);
    return isfinite(num_to_double(dtype, bits)) ? bits : num_from_double(dtype, 1.0);
}

static void nodes_round_the_exact_value_once(void **state)
{
    (void)state;
    uint64_t seed = 7;
    mpfr_t x, y, z, exact;
    mpfr_inits2(53, x, y, z, (mpfr_ptr)0);
    mpfr_init2(exact, EXACT_BITS);
    for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++)
        for (int n = 0; n < 30000; n++) {
            const enum dtype dtype = dtypes[d];
            const uint64_t a = operand(dtype, &seed, n % 4, 0),
                           b = operand(dtype, &seed, (n / 4) % 4, a);
            uint64_t c = operand(dtype, &seed, (n / 16) % 4, b);
            if (n % 7 == 0) // c near -a*b
                c = num_negate(dtype, num_multiply(dtype, a, b));
            if (!isfinite(num_to_double(dtype, c)))
                continue;
            const uint64_t in[3] = {a, b, c};
            mpfr_set_d(x, num_to_double(dtype, a), MPFR_RNDN);
            mpfr_set_d(y, num_to_double(dtype, b), MPFR_RNDN);
            mpfr_set_d(z, num_to_double(dtype, c), MPFR_RNDN);
            mpfr_add(exact, x, y, MPFR_RNDN);
            assert_value(dtype, "add", in, num_add(dtype, a, b), exact);
            mpfr_sub(exact, x, y, MPFR_RNDN);
            assert_value(dtype, "subtract", in, num_subtract(dtype, a, b), exact);
            mpfr_mul(exact, x, y, MPFR_RNDN);
            assert_value(dtype, "multiply", in, num_multiply(dtype, a, b), exact);
            mpfr_fma(exact, x, y, z, MPFR_RNDN);
            assert_value(dtype, "fma", in, num_fma(dtype, a, b, c), exact);
        }
    mpfr_clears(x, y, z, exact, (mpfr_ptr)0);
}

static void zeros_infinities_and_nan_follow_ieee_754(void **state)
{
    (void)state;
    for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++) {
        const enum dtype t = dtypes[d];
        const uint64_t zero = num_from_double(t, 0.0), minus_zero = num_from_double(t, -0.0),
                       one = num_from_double(t, 1.0);
        const uint64_t infinity = num_from_double(t, INFINITY),
                       minus_infinity = num_from_double(t, -INFINITY);
        const uint64_t nan = num_from_double(t, (double)NAN), minus_one = num_from_double(t, -1.0);
        assert_int_equal(num_add(t, zero, minus_zero), zero);
        assert_int_equal(num_add(t, minus_zero, minus_zero), minus_zero);
        assert_int_equal(num_subtract(t, one, one), zero);
        assert_int_equal(num_subtract(t, minus_zero, zero), minus_zero);
        assert_int_equal(num_multiply(t, minus_one, zero), minus_zero);
        assert_int_equal(num_fma(t, minus_one, zero, minus_zero), minus_zero);
        assert_int_equal(num_fma(t, one, one, minus_one), zero);
        assert_int_equal(num_add(t, infinity, minus_infinity), nan);
        assert_int_equal(num_multiply(t, zero, infinity), nan);
        assert_int_equal(num_fma(t, infinity, one, minus_infinity), nan);
        assert_int_equal(num_fma(t, one, one, minus_infinity), minus_infinity);
        assert_int_equal(num_negate(t, nan), nan);
        assert_int_equal(num_add(t, one, nan | num_negate(t, zero)),
                         nan); // a negative NaN with a payload
        assert_true(!num_less(t, nan, one) && !num_less(t, minus_zero, zero));
        assert_true(num_less(t, minus_infinity, one) == (t != DTYPE_F8E4M3)); // which has none
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_round_the_exact_value_once),
        cmocka_unit_test(zeros_infinities_and_nan_follow_ieee_754),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
