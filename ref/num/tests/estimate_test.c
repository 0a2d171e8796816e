// SPDX-License-Identifier: Apache-2.0
// The fast looks themselves, before any rounding: each form of each function stays within half of
// the error that it claims (the other half is room for the perturbations of other tests). A wrong
// coefficient that no rounded result would show is seen here.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "ref/num/function/function_table.h"
#include "ref/num/function/pair.h"
#include "ref/num/function/interval.h"
#include "ref/num/tests/function_forms.h"
#include "ref/num/tests/function_oracle.h"

enum { COUNT = 8 * 500 };

// |value - function(x)| as a share of `error`. erf_inv: 1/2 when x lies between erf of value -+
// error/2, else 1.
static double share(enum num_function function, double at, double value, double error)
{
    mpfr_t x, y, t;
    mpfr_init2(x, 53);
    mpfr_inits2(ORACLE_BITS, y, t, (mpfr_ptr)0);
    mpfr_set_d(x, at, MPFR_RNDN);
    double result;
    if (function == NUM_ERF_INV || function == NUM_NORMAL_QUANTILE) {
        bool inside = true;
        for (int side = -1; side <= 1; side += 2) {
            mpfr_set_d(y, value, MPFR_RNDN);
            mpfr_set_d(t, error, MPFR_RNDN);
            mpfr_mul_d(t, t, side * 0.5, MPFR_RNDN);
            mpfr_add(y, y, t, MPFR_RNDN);
            if (function == NUM_NORMAL_QUANTILE) {
                mpfr_set_d(t, 0.5, MPFR_RNDN);
                mpfr_sqrt(t, t, MPFR_RNDN);
                mpfr_mul(y, y, t, MPFR_RNDN);
            }
            mpfr_erf(y, y, MPFR_RNDN);
            inside = inside && (side < 0 ? mpfr_lessequal_p(y, x) : mpfr_lessequal_p(x, y));
        }
        result = inside ? 0.5 : 1;
    } else {
        oracle_function(function, y, x);
        mpfr_sub_d(y, y, value, MPFR_RNDN);
        result = fabs(mpfr_get_d(y, MPFR_RNDN)) / error;
    }
    mpfr_clears(x, y, t, (mpfr_ptr)0);
    return result;
}

// Operands where a function is at home: many magnitudes, both signs where allowed, the ends of its
// domain.
static double operand(enum num_function function, uint64_t *seed, size_t i)
{
    const double unit = (double)(oracle_random(seed) >> 11) * 0x1p-53; // [0, 1)
    const double sign = oracle_random(seed) & 1 ? -1 : 1;
    const double spread = ldexp(1 + unit, (int)(oracle_random(seed) % 60) - 50);
    switch (function) {
    case NUM_LOG:
        return i % 2 ? 1 + sign * unit * ldexp(1, -(int)(i % 40))
                     : ldexp(1 + unit, (int)(oracle_random(seed) % 2000) - 1000);
    case NUM_LOG1P:
        return i % 2 ? sign * unit : i % 4 ? spread : -1 + ldexp(1 + unit, -(int)(i % 50) - 1);
    case NUM_ERF_INV:
    case NUM_NORMAL_QUANTILE:
        return sign * (i % 2   ? unit
                       : i % 4 ? 1 - ldexp(1 + unit, -(int)(i % 22) - 1)
                               : ldexp(1 + unit, -(int)(i % 60) - 1));
    case NUM_EXPONENTIAL:
    case NUM_GUMBEL_HIGH:
        return i % 2   ? unit
               : i % 4 ? 1 - ldexp(1 + unit, -(int)(i % 50) - 1)
                       : ldexp(1 + unit, -(int)(i % 60) - 1);
    case NUM_GUMBEL:
        return i % 2   ? unit
               : i % 4 ? 0.36787944117144233 * (1 + sign * ldexp(unit, -(int)(i % 30)))
                       : ldexp(1 + unit, -(int)(i % 900) - 1);
    case NUM_SIN:
    case NUM_COS:
        return i % 2 ? sign * 1.5707963267948966 * (double)(oracle_random(seed) % 600000) *
                           (1 + (i % 4 ? unit * 0x1p-48 : 0))
                     : sign * spread;
    default:
        return sign * (i % 2 ? unit * 40 : spread);
    }
}

static void stays_within_half_its_claim(const struct function_form *form, const char *name)
{
    static double x[COUNT], value[COUNT], error[COUNT];
    uint64_t seed = 47;
    for (enum num_function f = 0; f < NUM_FUNCTION_COUNT; f++) {
        size_t known = 0;
        for (size_t i = 0; i < COUNT; i++)
            x[i] = operand(f, &seed, i);
        form->estimate(f, COUNT, x, value, error);
        for (size_t i = 0; i < COUNT; i++) {
            // Beyond f32 the estimates need not move; nor can half a claim be seen below a zero's
            // own error.
            if (!isfinite(error[i]) ||
                (fabs(x[i]) > 700 && (f <= NUM_EXPM1 || f == NUM_LOGISTIC)) || value[i] == 0)
                continue;
            known++;
            if (share(f, x[i], value[i], error[i]) > 0.5)
                fail_msg("%s, %s(%a): %a is not within half of %a", name, function_name(f), x[i],
                         value[i], error[i]);
        }
        if (known < COUNT * 9 / 10)
            fail_msg("%s, %s: only %zu of %d operands are served", name, function_name(f), known,
                     COUNT);
    }
}

static void every_form_stays_within_half_its_claim(void **state)
{
    (void)state;
    for (size_t i = 0; i < FORMS; i++)
        if (isa_available(forms[i].isa))
            stays_within_half_its_claim(forms[i].form, isa_name(forms[i].isa));
}

// The values that glances read, in runs within 3 and beyond.
static void values_stay_within_half_their_claim(void **state)
{
    static const enum num_function functions[] = {
        NUM_EXP, NUM_EXPM1, NUM_LOG, NUM_LOG1P, NUM_TANH, NUM_LOGISTIC, NUM_SIN, NUM_COS, NUM_ERF};
    static double x[COUNT], value[COUNT];
    uint64_t seed = 59;
    (void)state;
    for (size_t i = 0; i < FORMS; i++)
        for (size_t k = 0; k < 2 * sizeof functions / sizeof *functions; k++) {
            const enum num_function f = functions[k / 2];
            const double largest = k % 2 ? 3 : 690;
            const struct function_argument at = {x, NULL, 1, -0.0, largest};
            const struct function_claim claim = forms[i].form->claim(f, largest);
            if (!isa_available(forms[i].isa))
                continue;
            for (size_t j = 0; j < COUNT; j++) {
                const double drawn = operand(f, &seed, j);
                x[j] = f == NUM_LOG || f == NUM_LOG1P ? drawn : fmod(drawn, largest);
            }
            x[0] = f == NUM_ERF ? 0 : x[0];
            x[1] = f == NUM_ERF && k % 2 ? -3 : x[1];
            assert_true(forms[i].form->value(f, COUNT, &at, -0.0, value));
            for (size_t j = 0; j < COUNT; j++) {
                const double error = fabs(value[j]) * claim.relative + claim.additional;
                if (error != 0 && share(f, x[j], value[j], error) > 0.5)
                    fail_msg("%s, %s(%a): %a is not within half of %a", isa_name(forms[i].isa),
                             function_name(f), x[j], value[j], error);
            }
        }
}

// By the form's own estimates; those of the interval are held to MPFR elsewhere.
static void ends_lie_beyond_the_estimate_by_its_error_and_no_more(void **state)
{
    (void)state;
    static const enum num_function increasing[] = {
        NUM_EXP,     NUM_EXPM1,           NUM_LOG,         NUM_LOG1P, NUM_TANH, NUM_LOGISTIC,
        NUM_ERF_INV, NUM_NORMAL_QUANTILE, NUM_EXPONENTIAL, NUM_GUMBEL};
    static double x[COUNT], value[COUNT], error[COUNT], end[2][COUNT];
    const double far = (double)INFINITY;
    uint64_t seed = 53;
    for (size_t i = 0; i < FORMS; i++)
        for (size_t f = 0;
             isa_available(forms[i].isa) && f < sizeof increasing / sizeof *increasing; f++) {
            for (size_t j = 0; j < COUNT; j++)
                x[j] = operand(increasing[f], &seed, j);
            forms[i].form->estimate(increasing[f], COUNT, x, value, error);
            for (int side = 0; side < 2; side++)
                forms[i].form->bound(increasing[f], side ? 1 : -1, far, side ? far : -far, COUNT, x,
                                     end[side]);
            for (size_t j = 0; j < COUNT; j++) {
                const double lower = interval_below(value[j] - error[j]),
                             upper = interval_above(value[j] + error[j]);
                assert_true(end[0][j] == (isfinite(lower) ? lower : -far));
                assert_true(end[1][j] == (isfinite(upper) ? upper : far));
            }
        }
}

// Arguments beyond `still` on the safe side come back to it; on the other side, and for NaN there,
// nothing is known. Ends beyond the limit are brought back as well.
static void ends_beyond_what_is_known_are_the_limit(void **state)
{
    (void)state;
    static const double x[8] = {1000, -1000, INFINITY, -INFINITY, 30, -30, 0, 0};
    double end[8];
    for (size_t i = 0; i < FORMS; i++) {
        if (!isa_available(forms[i].isa))
            continue;
        forms[i].form->bound(NUM_TANH, -1, 700, -1, 8, x, end);
        assert_true(end[0] < 1 && end[0] > 0.999 && end[2] == end[0]);
        assert_true(end[1] == -1 && end[3] == -1 && end[5] == -1);
        forms[i].form->bound(NUM_TANH, 1, 700, 1, 8, x, end);
        assert_true(end[1] > -1 && end[1] < -0.999 && end[3] == end[1]);
        assert_true(end[0] == 1 && end[2] == 1 && end[4] == 1);
    }
}

// |high + low - function(at)| as a share of `error`.
static double pair_share(enum num_function function, double at, double high, double low,
                         double error)
{
    mpfr_t x, truth, t;
    mpfr_init2(x, 53);
    mpfr_inits2(ORACLE_BITS, truth, t, (mpfr_ptr)0);
    mpfr_set_d(x, at, MPFR_RNDN);
    oracle_function(function, truth, x);
    mpfr_set_d(t, high, MPFR_RNDN);
    mpfr_add_d(t, t, low, MPFR_RNDN);
    mpfr_sub(t, t, truth, MPFR_RNDN);
    mpfr_div_d(t, t, error, MPFR_RNDN);
    const double share = fabs(mpfr_get_d(t, MPFR_RNDN));
    mpfr_clears(x, truth, t, (mpfr_ptr)0);
    return share;
}

// Around 0, or 1 for a logarithm, errors are the largest share of the value.
static double operand_of_pair(enum num_function function, uint64_t *seed, size_t i)
{
    const double unit = (double)(oracle_random(seed) >> 11) * 0x1p-52 - 1; // [-1, 1)
    return i % 3 == 0   ? operand(function, seed, i)
           : i % 3 == 1 ? (function == NUM_LOG ? 1 : 0) + unit * 0x1p-6
           : function == NUM_EXP || function == NUM_LOGISTIC ? unit * 600
                                                             : operand(function, seed, i);
}

static void check_pairs(const struct function_form *form, const char *name,
                        enum num_function function)
{
    static double x[COUNT], high[COUNT], low[COUNT], error[COUNT];
    uint64_t seed = 53;
    size_t known = 0;
    for (size_t i = 0; i < COUNT; i++)
        x[i] = operand_of_pair(function, &seed, i);
    assert_true(form->pairs(function, COUNT, x, high, low, error));
    for (size_t i = 0; i < COUNT; i++) {
        if (!isfinite(error[i]))
            continue;
        known++;
        if (!(pair_share(function, x[i], high[i], low[i], error[i]) <= 0.5) ||
            high[i] + low[i] != high[i])
            fail_msg("%s, %s(%a): %a + %a is not within half of %a", name, function_name(function),
                     x[i], high[i], low[i], error[i]);
    }
    assert_true(known > COUNT * 9 / 10);
}

static void pairs_stay_within_half_their_claim(void **state)
{
    static const enum num_function functions[] = {NUM_EXP,  NUM_EXPM1,    NUM_LOG,        NUM_LOG1P,
                                                  NUM_TANH, NUM_LOGISTIC, NUM_EXPONENTIAL};
    (void)state;
    for (size_t i = 0; i < FORMS; i++)
        for (size_t f = 0; isa_available(forms[i].isa) && f < sizeof functions / sizeof *functions;
             f++)
            check_pairs(forms[i].form, isa_name(forms[i].isa), functions[f]);
}

// The tables as MPFR makes them: 2^(j/128) and -log(c), cut in two.
static void check_cut(mpfr_t whole, mpfr_t cut, const double *entry)
{
    assert_true(entry[0] == mpfr_get_d(cut, MPFR_RNDN));
    mpfr_sub(cut, whole, cut, MPFR_RNDN);
    assert_true(entry[1] == mpfr_get_d(cut, MPFR_RNDN));
}

static void tables_are_those_of_mpfr(void **state)
{
    (void)state;
    mpfr_t whole, cut, bits;
    mpfr_inits2(ORACLE_BITS, whole, cut, (mpfr_ptr)0);
    for (unsigned j = 0; j < FUNCTION_PIECES; j++) {
        mpfr_init2(bits, 32);
        mpfr_set_ui_2exp(whole, j, -7, MPFR_RNDN);
        mpfr_exp2(whole, whole, MPFR_RNDN);
        mpfr_set(bits, whole, MPFR_RNDN);
        mpfr_set(cut, bits, MPFR_RNDN);
        check_cut(whole, cut, function_power[j]);
        const double from = double_from_bits(function_pieces_begin + ((uint64_t)j << 45)),
                     end = double_from_bits(function_pieces_begin + ((uint64_t)(j + 1) << 45));
        mpfr_set_prec(bits, 12);
        mpfr_set_d(cut, from + end, MPFR_RNDN);
        mpfr_ui_div(bits, 2, cut, MPFR_RNDN);
        assert_true(function_reciprocal[j] ==
                    (from < 1 && end > 1 ? 1 : mpfr_get_d(bits, MPFR_RNDN)));
        mpfr_set_d(whole, function_reciprocal[j], MPFR_RNDN);
        mpfr_log(whole, whole, MPFR_RNDN);
        mpfr_neg(whole, whole, MPFR_RNDN);
        mpfr_mul_2ui(cut, whole, 42, MPFR_RNDN);
        mpfr_rint(cut, cut, MPFR_RNDN);
        mpfr_div_2ui(cut, cut, 42, MPFR_RNDN);
        check_cut(whole, cut, function_logarithm[j]);
        mpfr_clear(bits);
    }
    mpfr_clears(whole, cut, (mpfr_ptr)0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_form_stays_within_half_its_claim),
        cmocka_unit_test(values_stay_within_half_their_claim),
        cmocka_unit_test(ends_lie_beyond_the_estimate_by_its_error_and_no_more),
        cmocka_unit_test(ends_beyond_what_is_known_are_the_limit),
        cmocka_unit_test(pairs_stay_within_half_their_claim),
        cmocka_unit_test(tables_are_those_of_mpfr),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
