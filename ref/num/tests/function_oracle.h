// SPDX-License-Identifier: Apache-2.0
// Elementary functions as MPFR gives them from their definitions with 400 bits, and a judge for
// erf_inv, which MPFR lacks: a result is right when x lies between erf of the two ends of what
// rounds to it.

#ifndef ASSAY_REF_NUM_TESTS_FUNCTION_ORACLE_H
#define ASSAY_REF_NUM_TESTS_FUNCTION_ORACLE_H

#include "ref/num/function/function.h"
#include "ref/num/small_float.h"
#include "ref/num/tests/oracle.h"

enum { ORACLE_BITS = 400 };

static inline const char *function_name(enum num_function function)
{
    static const char *const name[NUM_FUNCTION_COUNT] = {
        [NUM_EXP] = "exp",
        [NUM_EXPM1] = "expm1",
        [NUM_LOG] = "log",
        [NUM_LOG1P] = "log1p",
        [NUM_TANH] = "tanh",
        [NUM_LOGISTIC] = "logistic",
        [NUM_ERF_INV] = "erf_inv",
        [NUM_SIN] = "sin",
        [NUM_COS] = "cos",
        [NUM_ERF] = "erf",
        [NUM_GUMBEL] = "gumbel",
        [NUM_EXPONENTIAL] = "exponential",
        [NUM_GUMBEL_HIGH] = "gumbel_high",
        [NUM_NORMAL_QUANTILE] = "normal_quantile",
    };
    return name[function];
}

// y = function(x) to ORACLE_BITS; NaN, infinities and zeros as MPFR's own functions have them.
static inline void oracle_function(enum num_function function, mpfr_t y, mpfr_srcptr x)
{
    switch (function) {
    case NUM_EXP:
        mpfr_exp(y, x, MPFR_RNDN);
        break;
    case NUM_EXPM1:
        mpfr_expm1(y, x, MPFR_RNDN);
        break;
    case NUM_LOG:
        mpfr_log(y, x, MPFR_RNDN);
        break;
    case NUM_LOG1P:
        mpfr_log1p(y, x, MPFR_RNDN);
        break;
    case NUM_ERF:
        mpfr_erf(y, x, MPFR_RNDN);
        break;
    case NUM_TANH:
        mpfr_tanh(y, x, MPFR_RNDN);
        break;
    case NUM_LOGISTIC: // as (1 + tanh(x/2)) / 2 where that does not cancel, as exp(x) / (1 +
                       // exp(x)) below
        if (mpfr_sgn(x) >= 0) {
            mpfr_div_2ui(y, x, 1, MPFR_RNDN);
            mpfr_tanh(y, y, MPFR_RNDN);
            mpfr_add_ui(y, y, 1, MPFR_RNDN);
            mpfr_div_2ui(y, y, 1, MPFR_RNDN);
        } else {
            mpfr_t t;
            mpfr_init2(t, ORACLE_BITS);
            mpfr_exp(t, x, MPFR_RNDN);
            mpfr_add_ui(y, t, 1, MPFR_RNDN);
            mpfr_div(y, t, y, MPFR_RNDN);
            mpfr_clear(t);
        }
        break;
    case NUM_SIN:
        mpfr_sin(y, x, MPFR_RNDN);
        break;
    case NUM_COS:
        mpfr_cos(y, x, MPFR_RNDN);
        break;
    case NUM_EXPONENTIAL:
    case NUM_GUMBEL_HIGH:
        mpfr_neg(y, x, MPFR_RNDN);
        mpfr_log1p(y, y, MPFR_RNDN);
        mpfr_neg(y, y, MPFR_RNDN);
        break;
    case NUM_GUMBEL:
        mpfr_log(y, x, MPFR_RNDN);
        mpfr_neg(y, y, MPFR_RNDN);
        break;
    default:
        break;
    }
    if (function == NUM_GUMBEL || function == NUM_GUMBEL_HIGH) {
        mpfr_log(y, y, MPFR_RNDN);
        mpfr_neg(y, y, MPFR_RNDN);
    }
}

// Whether `got` (finite, of dtype `to`) is erf_inv(x), or root two times it, rounded; 0 < x < 1.
static inline bool oracle_erf_inv_is(enum num_function function, enum dtype to, uint64_t got,
                                     mpfr_srcptr x)
{
    mpfr_t end, other, root;
    mpfr_inits2(ORACLE_BITS, end, other, root, (mpfr_ptr)0);
    mpfr_set_d(root, 0.5, MPFR_RNDN);
    mpfr_sqrt(root, root, MPFR_RNDN);
    bool right = true;
    for (int side = -1; side <= 1; side += 2) {
        if (got == 0 && side < 0)
            continue;
        mpfr_set_d(end, num_to_double(to, got), MPFR_RNDN);
        mpfr_set_d(other, num_to_double(to, (uint64_t)((int64_t)got + side)), MPFR_RNDN);
        mpfr_add(end, end, other, MPFR_RNDN);
        mpfr_div_2ui(end, end, 1, MPFR_RNDN);
        if (function == NUM_NORMAL_QUANTILE)
            mpfr_mul(end, end, root, MPFR_RNDN);
        mpfr_erf(end, end, MPFR_RNDN);
        right = right && (side < 0 ? mpfr_lessequal_p(end, x) : mpfr_lessequal_p(x, end));
    }
    mpfr_clears(end, other, root, (mpfr_ptr)0);
    return right;
}

// Whether `got` is the function of `bits`, rounded once.
static inline bool oracle_agrees(enum num_function function, enum dtype to, uint64_t got,
                                 enum dtype from, uint64_t bits)
{
    const double value = num_to_double(from, bits), result = num_to_double(to, got);
    mpfr_t x, y;
    mpfr_init2(x, 53);
    mpfr_init2(y, ORACLE_BITS);
    mpfr_set_d(x, value, MPFR_RNDN);
    bool agrees;
    if (function == NUM_ERF_INV || function == NUM_NORMAL_QUANTILE) {
        const uint64_t sign = num_from_double(to, -0.0);
        if (isnan(value) || fabs(value) > 1)
            agrees = isnan(result);
        else if (fabs(value) == 1 || value == 0)
            agrees =
                double_bits(result) == double_bits(value == 0 ? value : value * (double)INFINITY);
        else {
            mpfr_abs(x, x, MPFR_RNDN);
            agrees = signbit(result) == signbit(value) &&
                     oracle_erf_inv_is(function, to, got & ~sign, x);
        }
    } else {
        oracle_function(function, y, x);
        agrees = oracle_same(result, oracle_round(to, y, MPFR_RNDN));
    }
    mpfr_clears(x, y, (mpfr_ptr)0);
    return agrees;
}

#endif
