// SPDX-License-Identifier: Apache-2.0
// Sums of square roots: identities of algebra, and drawn expressions against MPFR in 2,000 bits.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "ref/num/surd.h"
#include "ref/num/tests/oracle.h"

enum { BITS = 2000, CLOSE = 1000 };

// x = times * sqrt(under / over)
static void root_of(struct surd *x, long times, long under, unsigned long over)
{
    mpq_t ratio;
    struct surd factor;
    mpq_init(ratio);
    surd_init(&factor);
    mpq_set_si(ratio, under, over);
    mpq_canonicalize(ratio);
    surd_set_rational(x, ratio);
    assert_true(surd_root(x));
    surd_set_whole(&factor, times);
    assert_true(surd_multiply(x, &factor));
    surd_clear(&factor);
    mpq_clear(ratio);
}

static void assert_is(const struct surd *x, long numerator, unsigned long denominator)
{
    mpq_t value;
    mpq_init(value);
    assert_true(surd_rational(x, value));
    assert_int_equal(mpq_cmp_si(value, numerator, denominator), 0);
    mpq_clear(value);
}

static void sums_and_products_of_roots_are_rational_where_algebra_says_so(void **state)
{
    (void)state;
    struct surd x, y;
    mpq_t none;
    surd_init(&x);
    surd_init(&y);
    mpq_init(none);
    root_of(&x, 1, 2, 1);
    root_of(&y, 1, 8, 1);
    assert_true(surd_multiply(&x, &y));
    assert_is(&x, 4, 1);
    root_of(&x, 1, 9, 4);
    assert_is(&x, 3, 2);
    root_of(&x, 3, 2, 1);
    root_of(&y, -2, 9, 2); // -2 sqrt(9/2) = -3 sqrt(2)
    assert_false(surd_rational(&x, none));
    assert_true(surd_add(&x, &y));
    assert_is(&x, 0, 1);
    root_of(&x, 1, 3, 1); // 1 / (sqrt(3) + sqrt(2)) + sqrt(2) = sqrt(3)
    root_of(&y, 1, 2, 1);
    assert_true(surd_add(&y, &x));
    surd_set_whole(&x, 1);
    assert_true(surd_divide(&x, &y));
    root_of(&y, 1, 2, 1);
    assert_true(surd_add(&x, &y));
    root_of(&y, -1, 3, 1);
    assert_true(surd_add(&x, &y));
    assert_is(&x, 0, 1);
    surd_clear(&x);
    surd_clear(&y);
    mpq_clear(none);
}

static void what_has_no_answer_here_is_refused(void **state)
{
    (void)state;
    static const long primes[SURD_TERMS_MAX] = {2, 3, 5, 7, 11, 13, 17, 19};
    struct surd sum, x;
    int sign;
    surd_init(&sum);
    surd_init(&x);
    for (unsigned i = 0; i < SURD_TERMS_MAX; i++) {
        root_of(&x, 1, primes[i], 1);
        assert_true(surd_add(&sum, &x));
    }
    assert_false(surd_sign(&sum, &sign));
    surd_set_whole(&x, 1);
    assert_false(surd_divide(&x, &sum));
    root_of(&x, 1, 23, 1);
    assert_false(surd_add(&sum, &x));
    surd_set_whole(&sum, 0);
    assert_false(surd_divide(&x, &sum));
    surd_set_whole(&x, -1);
    assert_false(surd_root(&x));
    root_of(&x, 1, 2, 1);
    assert_false(surd_root(&x));
    surd_clear(&sum);
    surd_clear(&x);
}

static void value_of(const struct surd *x, mpfr_ptr to)
{
    mpfr_t root;
    mpfr_init2(root, BITS);
    mpfr_set_zero(to, 1);
    for (unsigned i = 0; i < x->count; i++) {
        mpfr_set_q(root, x->term[i].under, MPFR_RNDN);
        mpfr_sqrt(root, root, MPFR_RNDN);
        mpfr_mul_q(root, root, x->term[i].times, MPFR_RNDN);
        mpfr_add(to, to, root, MPFR_RNDN);
    }
    mpfr_clear(root);
}

// One operation on both: false where the sum of roots has no such value.
static bool step(unsigned what, struct surd *x, mpfr_ptr value, struct surd *y, mpfr_ptr other)
{
    if (what == 0) {
        mpfr_add(value, value, other, MPFR_RNDN);
        return surd_add(x, y);
    }
    if (what == 1) {
        mpfr_mul(value, value, other, MPFR_RNDN);
        return surd_multiply(x, y);
    }
    mpfr_div(value, value, other, MPFR_RNDN);
    return surd_divide(x, y);
}

static void drawn_expressions_have_the_values_of_mpfr(void **state)
{
    (void)state;
    uint64_t seed = 11;
    struct surd x, y;
    mpfr_t value, other, found;
    unsigned held = 0, signs = 0, zeros = 0;
    surd_init(&x);
    surd_init(&y);
    mpfr_inits2(BITS, value, other, found, (mpfr_ptr)0);
    for (unsigned n = 0; n < 4000; n++) {
        bool known = true;
        for (unsigned i = 0; i < 6 && known; i++) {
            const long times = (long)(oracle_random(&seed) % 7) - 3,
                       under = 1 + (long)(oracle_random(&seed) % 6);
            root_of(&y, times, under, 1 + oracle_random(&seed) % 3);
            value_of(&y, other);
            if (!i) {
                surd_set(&x, &y);
                mpfr_set(value, other, MPFR_RNDN);
            } else {
                known = step((unsigned)(oracle_random(&seed) % 3), &x, value, &y, other);
            }
        }
        if (!known)
            continue;
        held++;
        value_of(&x, found);
        mpfr_sub(other, found, value, MPFR_RNDN);
        assert_true(mpfr_zero_p(other) || mpfr_get_exp(other) < -CLOSE);
        int sign = 0;
        const bool zero = mpfr_zero_p(value) || mpfr_get_exp(value) < -CLOSE;
        assert_int_equal(zero, x.count == 0);
        zeros += zero;
        if (surd_sign(&x, &sign)) {
            signs++;
            assert_int_equal(sign, zero ? 0 : mpfr_sgn(value));
        }
    }
    assert_true(held > 2000 && signs > 1000 && zeros > 100);
    mpfr_clears(value, other, found, (mpfr_ptr)0);
    surd_clear(&x);
    surd_clear(&y);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_and_products_of_roots_are_rational_where_algebra_says_so),
        cmocka_unit_test(what_has_no_answer_here_is_refused),
        cmocka_unit_test(drawn_expressions_have_the_values_of_mpfr),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
