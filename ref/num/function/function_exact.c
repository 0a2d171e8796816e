// SPDX-License-Identifier: Apache-2.0
// Elementary functions without a doubt: limits and domain errors from a table of cases, the rest
// from MPFR.
//
// MPFR's own functions tell whether anything was cut off, so 64 bits and that knowledge round as
// the exact value would. A composed function is enclosed between two numbers, with directed
// roundings, and the precision grows until both round alike (Ziv 1991, doi:10.1145/114697.116813);
// that ends, because at a nonzero argument none of them is ever a number of finitely many bits
// (Lindemann and Weierstrass), except for those in the table.

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include <mpfr.h>

#include "ref/num/exact.h"
#include "ref/num/function/function_estimate.h"
#include "ref/num/mpfr_exact.h"
#include "ref/num/small_float.h"

// -log(v) of what an inner -log gave: its zero of either sign to +inf, its infinity to -inf, below
// zero NaN.
static bool outer_limit(double inner, double *value)
{
    *value = inner == 0 ? (double)INFINITY : inner > 0 ? -(double)INFINITY : (double)NAN;
    return inner == 0 || isinf(inner) || isnan(inner) || inner < 0;
}

// Whether the function has a value at x that is known at once, and the value.
static bool special(enum num_function function, double x, double *value)
{
    const double infinity = (double)INFINITY, nan = (double)NAN;
    *value = nan;
    if (isnan(x))
        return true;
    switch (function) { // exp(710) is beyond f64, exp(-746) below half of its least number
    case NUM_EXP:
        *value = x >= 710 ? infinity : x <= -746 ? 0 : 1;
        return x >= 710 || x <= -746 || x == 0;
    case NUM_EXPM1:
        *value = x >= 710 ? infinity : isinf(x) ? -1 : x;
        return x >= 710 || isinf(x) || x == 0;
    case NUM_LOG:
        *value = x < 0 ? nan : x == 0 ? -infinity : x == 1 ? 0 : infinity;
        return x <= 0 || x == 1 || isinf(x);
    case NUM_LOG1P:
        *value = x < -1 ? nan : x == -1 ? -infinity : x;
        return x <= -1 || x == 0 || isinf(x);
    case NUM_TANH:
    case NUM_ERF:
        *value = isinf(x) ? copysign(1, x) : x;
        return isinf(x) || x == 0;
    case NUM_LOGISTIC:
        *value = x == 0 ? 0.5 : x > 0 ? 1 : 0;
        return isinf(x) || x <= -746 || x == 0;
    case NUM_ERF_INV:
    case NUM_NORMAL_QUANTILE:
        *value = fabs(x) > 1 ? nan : fabs(x) == 1 ? copysign(infinity, x) : x;
        return fabs(x) >= 1 || x == 0;
    case NUM_SIN:
        *value = isinf(x) ? nan : x;
        return isinf(x) || x == 0;
    case NUM_COS:
        *value = isinf(x) ? nan : 1;
        return isinf(x) || x == 0;
    case NUM_EXPONENTIAL:
        *value = x > 1 ? nan : x == 1 ? infinity : x;
        return x >= 1 || x == 0 || isinf(x);
    case NUM_GUMBEL: // -log(x) at its own special points, else only its sign counts
        return outer_limit(x < 0 ? nan : x == 0 ? infinity : x == 1 ? 0 : x > 1 ? -1 : 1, value);
    case NUM_GUMBEL_HIGH:
        return outer_limit(x > 1 ? nan : x == 1 ? infinity : x == 0 ? 0 : x < 0 ? -1 : 1, value);
    case NUM_FUNCTION_COUNT:
        break;
    }
    return true;
}

static int simple(enum num_function function, mpfr_t y, mpfr_srcptr x, mpfr_rnd_t rounding)
{
    switch (function) {
    case NUM_EXP:
        return mpfr_exp(y, x, rounding);
    case NUM_EXPM1:
        return mpfr_expm1(y, x, rounding);
    case NUM_LOG:
        return mpfr_log(y, x, rounding);
    case NUM_LOG1P:
        return mpfr_log1p(y, x, rounding);
    case NUM_TANH:
        return mpfr_tanh(y, x, rounding);
    case NUM_ERF:
        return mpfr_erf(y, x, rounding);
    case NUM_SIN:
        return mpfr_sin(y, x, rounding);
    default:
        return mpfr_cos(y, x, rounding);
    }
}

// One end of 1 / (1 + exp(-x)): decreasing in what exp(-x) becomes, so that is rounded the other
// way.
static void logistic_end(mpfr_t y, mpfr_srcptr x, mpfr_rnd_t rounding, mpfr_rnd_t other)
{
    mpfr_neg(y, x, MPFR_RNDN);
    mpfr_exp(y, y, other);
    mpfr_add_ui(y, y, 1, other);
    mpfr_ui_div(y, 1, y, rounding);
}

// Both ends of -log(x) or, of NUM_EXPONENTIAL and NUM_GUMBEL_HIGH, of -log(1 - x): two neighbours,
// from one logarithm.
static void minus_log_ends(enum num_function function, mpfr_t low, mpfr_t high, mpfr_srcptr x)
{
    int cut;
    if (function == NUM_GUMBEL) {
        cut = mpfr_log(low, x, MPFR_RNDU);
    } else {
        mpfr_neg(low, x, MPFR_RNDN); // x has at most 53 bits and the ends more
        cut = mpfr_log1p(low, low, MPFR_RNDU);
    }
    mpfr_neg(low, low, MPFR_RNDN);
    mpfr_set(high, low, MPFR_RNDN);
    if (cut)
        mpfr_nextabove(high);
}

// The outer logarithm turns the ends round.
static void gumbel_ends(enum num_function function, mpfr_t low, mpfr_t high, mpfr_srcptr x)
{
    minus_log_ends(function, low, high, x);
    mpfr_log(low, low, MPFR_RNDD);
    mpfr_log(high, high, MPFR_RNDU);
    mpfr_neg(low, low, MPFR_RNDN);
    mpfr_neg(high, high, MPFR_RNDN);
    mpfr_swap(low, high);
}

// Moves *y towards erf_inv(x) with Newton's method, from a start good to some bits, until it should
// be good to `wanted`: a step that moves by 2^-m leaves about y^2 2^-2m. |x| < 1.
static void newton(mpfr_t y, mpfr_srcptr x, mpfr_prec_t wanted)
{
    enum { MARGIN = 12 };
    mpfr_t error, slope;
    mpfr_inits2(mpfr_get_prec(y), error, slope, (mpfr_ptr)0);
    for (int step = 0; step < 12; step++) {
        mpfr_erf(error, y, MPFR_RNDN);
        mpfr_sub(error, error, x, MPFR_RNDN);
        mpfr_sqr(slope, y, MPFR_RNDN);
        mpfr_neg(slope, slope, MPFR_RNDN);
        mpfr_exp(slope, slope, MPFR_RNDN);
        mpfr_mul_d(slope, slope, 0x1.20dd750429b6dp+0, MPFR_RNDN); // 2 / sqrt(pi)
        mpfr_div(error, error, slope, MPFR_RNDN);
        if (mpfr_zero_p(error))
            break;
        const mpfr_exp_t moved = mpfr_get_exp(error) - mpfr_get_exp(y);
        mpfr_sub(y, y, error, MPFR_RNDN);
        if (2 * moved + MARGIN < -(mpfr_exp_t)wanted)
            break;
    }
    mpfr_clears(error, slope, (mpfr_ptr)0);
}

// A start: the asymptotic solution of Winitzki, good to about 8 bits everywhere below 1, and two
// steps towards erfc(y) = 1 - |x| in double, which is exact from 1/2 on. The C library's functions
// change how many steps follow, not the result, which is proven.
static double erf_inv_start(double x)
{
    enum { STEPS = 2 };
    const double magnitude = fabs(x), rest = 1 - magnitude;
    const double a = 0.147, l = log1p(-magnitude) + log1p(magnitude),
                 b = 2 / (3.141592653589793 * a) + l / 2;
    double y = magnitude < 0x1p-20 ? magnitude * 0.886226925452758 : sqrt(sqrt(b * b - l / a) - b);
    for (int step = 0; step < STEPS; step++) {
        const double wrong = magnitude < 0.5 ? erf(y) - magnitude : rest - erfc(y);
        const double next = y - wrong * exp(y * y) * 0.886226925452758;
        y = next > y / 2 && next < 2 * y ? next : y;
    }
    return copysign(y, x);
}

// Both ends of erf_inv(x), proven by erf: erf(low) < x < erf(high). False when this precision
// cannot show it.
static bool erf_inv_ends(mpfr_t low, mpfr_t high, mpfr_srcptr x, double start, mpfr_prec_t wanted)
{
    mpfr_t y, t;
    mpfr_inits2(mpfr_get_prec(low), y, t, (mpfr_ptr)0);
    mpfr_set_d(y, start, MPFR_RNDN);
    newton(y, x, wanted);
    mpfr_set(t, y, MPFR_RNDN);
    mpfr_abs(t, t, MPFR_RNDN);
    mpfr_mul_2si(t, t, -(long)wanted, MPFR_RNDN);
    mpfr_sub(low, y, t, MPFR_RNDD);
    mpfr_add(high, y, t, MPFR_RNDU);
    mpfr_erf(t, low, MPFR_RNDU);
    bool proven = mpfr_less_p(t, x);
    mpfr_erf(t, high, MPFR_RNDD);
    proven = proven && mpfr_greater_p(t, x);
    mpfr_clears(y, t, (mpfr_ptr)0);
    return proven;
}

static void times_root_two(mpfr_t y, mpfr_rnd_t rounding)
{
    mpfr_t root;
    mpfr_init2(root, mpfr_get_prec(y));
    const bool outward = (rounding == MPFR_RNDU) == (mpfr_signbit(y) == 0); // away from zero
    mpfr_sqrt_ui(root, 2, outward ? MPFR_RNDU : MPFR_RNDD);
    mpfr_mul(y, y, root, rounding);
    mpfr_clear(root);
}

// Encloses the function; false when the precision does not suffice even for that.
static bool enclose(enum num_function function, mpfr_t low, mpfr_t high, mpfr_srcptr x,
                    double start, mpfr_prec_t wanted)
{
    switch (function) {
    case NUM_LOGISTIC:
        logistic_end(low, x, MPFR_RNDD, MPFR_RNDU);
        logistic_end(high, x, MPFR_RNDU, MPFR_RNDD);
        return true;
    case NUM_EXPONENTIAL:
        minus_log_ends(function, low, high, x);
        return true;
    case NUM_GUMBEL:
    case NUM_GUMBEL_HIGH:
        gumbel_ends(function, low, high, x);
        return true;
    default:
        if (!erf_inv_ends(low, high, x, start, wanted))
            return false;
        if (function == NUM_NORMAL_QUANTILE) {
            times_root_two(low, MPFR_RNDD);
            times_root_two(high, MPFR_RNDU);
        }
        return true;
    }
}

static uint64_t packed(enum dtype to, mpfr_srcptr y)
{
    return num_pack(to, num_exact_of_mpfr(y, false), NUM_NEAREST_EVEN, NUM_IEEE);
}

static uint64_t composed(enum num_function function, enum dtype to, mpfr_srcptr x, double start)
{
    uint64_t result = 0;
    bool settled = false;
    for (mpfr_prec_t wanted = 80; !settled; wanted *= 2) {
        mpfr_t low, high;
        mpfr_inits2(wanted + 64, low, high, (mpfr_ptr)0);
        if (enclose(function, low, high, x, start, wanted)) {
            result = packed(to, low);
            settled = result == packed(to, high);
        }
        mpfr_clears(low, high, (mpfr_ptr)0);
    }
    return result;
}

uint64_t function_exact(enum num_function function, enum dtype to, double x)
{
    double known;
    if (special(function, x, &known))
        return num_from_double(to, known);
    num_mpfr_on_this_thread();
    mpfr_t argument, y;
    mpfr_init2(argument, 53);
    mpfr_init2(y, 64);
    mpfr_set_d(argument, x, MPFR_RNDN);
    uint64_t result;
    switch (function) {
    case NUM_LOGISTIC:
    case NUM_ERF_INV:
    case NUM_NORMAL_QUANTILE:
    case NUM_EXPONENTIAL:
    case NUM_GUMBEL:
    case NUM_GUMBEL_HIGH:
        result = composed(function, to, argument, erf_inv_start(x));
        break;
    default: {
        const int cut = simple(function, y, argument, MPFR_RNDZ);
        result = num_pack(to, num_exact_of_mpfr(y, cut != 0), NUM_NEAREST_EVEN, NUM_IEEE);
    }
    }
    mpfr_clears(argument, y, (mpfr_ptr)0);
    return result;
}
