// SPDX-License-Identifier: Apache-2.0
// Activation functions: comparisons and one operation, which are exact until they are rounded, or
// formulas with a function of num_function in them.
//
// The first look is such a formula in double, with one rounding for each of its operations: three
// at most, each 2^-53 of the result or less (1 + |x| and 1 + e^x add positive numbers; a relative
// error of e^x is none greater of log(1 + e^x)), so that 2^-50 is claimed. What that leaves open
// comes from MPFR, between two ends and with growing precision; the quotient is cut off exactly.

#include "ref/num/function/activation.h"

#include <assert.h>
#include <math.h>

#include <mpfr.h>

#include "ref/base/bytes.h"
#include "ref/num/exact.h"
#include "ref/num/mpfr_exact.h"
#include "ref/num/small_float.h"

static const double claimed = 0x1p-50, least = 0x1p-1060;

static double function_of(enum num_function function, double x)
{
    return double_from_bits(
        num_function_round(function, DTYPE_F64, DTYPE_F64, double_bits(x), NULL));
}

// Within `claimed` of the value, and `least`.
static double estimate(const struct num_activation *f, double x)
{
    switch (f->kind) {
    case NUM_ACTIVATION_SCALED_TANH:
        return (double)f->alpha * function_of(NUM_TANH, (double)f->beta * x);
    case NUM_ACTIVATION_ELU:
        return (double)f->alpha * function_of(NUM_EXPM1, x);
    case NUM_ACTIVATION_SOFTSIGN:
        return x / (1 + fabs(x));
    default: {
        const double rest = function_of(NUM_LOG1P, function_of(NUM_EXP, -fabs(x)));
        return x > 0 ? x + rest : rest;
    }
    }
}

// ---- without a doubt --------------------------------------------------------

// One end of log(1 + e^x) = max(x, 0) + log1p(e^-|x|), which grows with every part of it.
static void softplus_end(mpfr_t y, mpfr_srcptr x, mpfr_rnd_t rounding)
{
    mpfr_abs(y, x, MPFR_RNDN);
    mpfr_neg(y, y, MPFR_RNDN);
    mpfr_exp(y, y, rounding);
    mpfr_log1p(y, y, rounding);
    if (mpfr_sgn(x) > 0)
        mpfr_add(y, y, x, rounding);
}

// Both ends of alpha times a function of `x`.
static void scaled_ends(const struct num_activation *f, mpfr_t low, mpfr_t high, mpfr_srcptr x)
{
    int (*const function)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t) =
        f->kind == NUM_ACTIVATION_ELU ? mpfr_expm1 : mpfr_tanh;
    const mpfr_rnd_t down = f->alpha < 0 ? MPFR_RNDU : MPFR_RNDD,
                     up = f->alpha < 0 ? MPFR_RNDD : MPFR_RNDU;
    function(low, x, down);
    function(high, x, up);
    mpfr_mul_d(low, low, (double)f->alpha, MPFR_RNDD);
    mpfr_mul_d(high, high, (double)f->alpha, MPFR_RNDU);
}

static uint64_t packed(mpfr_srcptr y, bool cut)
{
    return num_pack(DTYPE_F32, num_exact_of_mpfr(y, cut), NUM_NEAREST_EVEN, NUM_IEEE);
}

static uint64_t quotient(double x)
{
    enum { ALL_BITS = 320 }; // of 1 + |x|
    mpfr_t divisor, y;
    mpfr_init2(divisor, ALL_BITS);
    mpfr_init2(y, 64);
    mpfr_set_d(divisor, fabs(x), MPFR_RNDN);
    mpfr_add_ui(divisor, divisor, 1, MPFR_RNDN);
    const int cut = mpfr_d_div(y, x, divisor, MPFR_RNDZ);
    const uint64_t result = packed(y, cut != 0);
    mpfr_clears(divisor, y, (mpfr_ptr)0);
    return result;
}

// Of a finite number other than 0. The loop ends: none of these functions has a value of finitely
// many bits there (Lindemann and Weierstrass).
static uint64_t exactly(const struct num_activation *f, double x)
{
    num_mpfr_on_this_thread();
    if (f->kind == NUM_ACTIVATION_SOFTSIGN)
        return quotient(x);
    const double argument = f->kind == NUM_ACTIVATION_SCALED_TANH ? (double)f->beta * x : x;
    uint64_t result = 0;
    bool settled = false;
    for (mpfr_prec_t wanted = 128; !settled; wanted *= 2) {
        mpfr_t low, high, z;
        mpfr_inits2(wanted, low, high, z, (mpfr_ptr)0);
        mpfr_set_d(z, argument, MPFR_RNDN);
        if (f->kind == NUM_ACTIVATION_SOFTPLUS) {
            softplus_end(low, z, MPFR_RNDD);
            softplus_end(high, z, MPFR_RNDU);
        } else {
            scaled_ends(f, low, high, z);
        }
        result = packed(low, false);
        settled = result == packed(high, false);
        mpfr_clears(low, high, z, (mpfr_ptr)0);
    }
    return result;
}

static float composed(const struct num_activation *f, float x, struct num_path *path)
{
    const double y = estimate(f, (double)x);
    const double share = path ? path->perturbation[0] : 0, moved = y + share * claimed * fabs(y);
    const double error = claimed * fabs(y) + least;
    const uint64_t low = num_from_double(DTYPE_F32, moved - error),
                   high = num_from_double(DTYPE_F32, moved + error);
    const bool known = !isfinite(y) || y == 0; // nothing was rounded
    const bool certain = low == high && !(path && path->exact);
    if (path)
        path->elements++;
    if (known || certain)
        return float_from_bits((uint32_t)(known ? num_from_double(DTYPE_F32, y) : low));
    if (path)
        path->second++;
    return float_from_bits((uint32_t)exactly(f, (double)x));
}

// ---- one element ------------------------------------------------------------

static float fused(const struct num_activation *f, float x)
{
    return float_from_bits(
        (uint32_t)num_fma(DTYPE_F32, float_bits(f->alpha), float_bits(x), float_bits(f->beta)));
}

static float clamped(float x, float lower, float upper)
{
    return x < lower ? lower : x > upper ? upper : x;
}

static float activated(const struct num_activation *f, float x, struct num_path *path)
{
    switch (f->kind) {
    case NUM_ACTIVATION_RELU:
        return x > 0 || isnan(x) ? x : 0;
    case NUM_ACTIVATION_AFFINE:
        return fused(f, x);
    case NUM_ACTIVATION_LEAKY_RELU:
        return x >= 0 ? x
                      : float_from_bits(
                            (uint32_t)num_multiply(DTYPE_F32, float_bits(f->alpha), float_bits(x)));
    case NUM_ACTIVATION_THRESHOLDED_RELU:
        return x >= f->alpha ? x : 0;
    case NUM_ACTIVATION_HARD_SIGMOID:
        return clamped(fused(f, x), 0, 1);
    case NUM_ACTIVATION_ELU:
        return x >= 0 ? x : composed(f, x, path);
    default:
        return composed(f, x, path);
    }
}

void num_activation_array(const struct num_activation *f, const float *in, float *out, size_t count,
                          struct num_path *path)
{
    assert(f->kind < NUM_ACTIVATION_COUNT && isfinite(f->alpha) && isfinite(f->beta));
    if (f->kind == NUM_ACTIVATION_TANH || f->kind == NUM_ACTIVATION_SIGMOID) {
        num_function_array(f->kind == NUM_ACTIVATION_TANH ? NUM_TANH : NUM_LOGISTIC, DTYPE_F32, out,
                           DTYPE_F32, in, count, path);
        return;
    }
    for (size_t i = 0; i < count; i++)
        out[i] = activated(f, in[i], path);
}

// ---- ranges -----------------------------------------------------------------

static struct interval range_of(enum num_function function, struct interval x)
{
    struct interval y;
    interval_function_array(function, &x.lower, &x.upper, 1, &y.lower, &y.upper);
    return y;
}

// Of an increasing function that `estimate` knows.
static struct interval increasing(const struct num_activation *f, struct interval x)
{
    const double lower = estimate(f, x.lower), upper = estimate(f, x.upper);
    return interval_outward(lower - (claimed * fabs(lower) + least),
                            upper + (claimed * fabs(upper) + least));
}

// [x.lower, 0] made into `below`, and what is above 0 kept.
static struct interval joined(struct interval x, struct interval below)
{
    return x.upper > 0 ? interval_hull(below, (struct interval){0, x.upper}) : below;
}

struct interval num_activation_range(const struct num_activation *f, struct interval x)
{
    const struct interval alpha = interval_of((double)f->alpha),
                          beta = interval_of((double)f->beta), low = {x.lower, fmin(x.upper, 0)};
    if (interval_is_any(x))
        return interval_any();
    switch (f->kind) {
    case NUM_ACTIVATION_RELU:
        return (struct interval){fmax(x.lower, 0), fmax(x.upper, 0)};
    case NUM_ACTIVATION_TANH:
        return range_of(NUM_TANH, x);
    case NUM_ACTIVATION_SIGMOID:
        return range_of(NUM_LOGISTIC, x);
    case NUM_ACTIVATION_AFFINE:
        return interval_add(interval_multiply(alpha, x), beta);
    case NUM_ACTIVATION_LEAKY_RELU:
        return x.lower >= 0 ? x : joined(x, interval_multiply(alpha, low));
    case NUM_ACTIVATION_THRESHOLDED_RELU:
        return x.upper < alpha.lower ? interval_of(0)
               : x.lower >= alpha.lower
                   ? x
                   : interval_hull(interval_of(0), (struct interval){alpha.lower, x.upper});
    case NUM_ACTIVATION_SCALED_TANH:
        return interval_multiply(alpha, range_of(NUM_TANH, interval_multiply(beta, x)));
    case NUM_ACTIVATION_HARD_SIGMOID: {
        const struct interval y = interval_add(interval_multiply(alpha, x), beta);
        return (struct interval){fmin(fmax(y.lower, 0), 1), fmin(fmax(y.upper, 0), 1)};
    }
    case NUM_ACTIVATION_ELU:
        return x.lower >= 0 ? x : joined(x, interval_multiply(alpha, range_of(NUM_EXPM1, low)));
    default:
        return increasing(f, x);
    }
}
