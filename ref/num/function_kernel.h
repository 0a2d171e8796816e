// SPDX-License-Identifier: Apache-2.0
// The first look of every elementary function, in double, on vectors of LANES numbers.
//
// Included once by each file of an instruction set, which defines LANES, ESTIMATE and, where it can, FUSED. Every step is a Taylor series after exact
// argument reduction, so that the error is a count of roundings and a remainder anyone can check; README.md, "Functions", does.
// Only targets of at most f32 come here: where the true value lies beyond f32 on either side, any value beyond it will do.

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "ref/num/erf_inv_table.h"
#include "ref/num/function_estimate.h"

typedef double vector __attribute__((vector_size(8 * LANES)));
typedef int64_t mask __attribute__((vector_size(8 * LANES)));
typedef uint64_t words __attribute__((vector_size(8 * LANES)));

static inline vector choose(mask which, vector yes, vector no)
{
    return (vector)((which & (mask)yes) | (~which & (mask)no));
}

#ifndef FUSED
#define FUSED(a, b, c) ((a) * (b) + (c))
#endif

// a * b + c with one rounding where the instruction set has that, else with two: the bounds hold for both.
static inline vector fused(vector a, vector b, vector c)
{
    return FUSED(a, b, c);
}

static inline vector horner(vector p, vector z, double coefficient)
{
    return fused(p, z, (vector){0} + coefficient);
}

static inline vector absolute(vector x)
{
    return (vector)((words)x & UINT64_C(0x7fffffffffffffff));
}

static inline vector with_sign_of(vector magnitude, vector sign)
{
    return (vector)((words)magnitude | ((words)sign & UINT64_C(0x8000000000000000)));
}

// 1.5 * 2^52: adding it rounds to an integer, which then stands in the low bits.
static const double shifter = 0x1.8p52;
static const double log2_e = 0x1.71547652b82fep+0;
static const double ln2_high = 0x1.62e42fefa3800p-1; // 42 bits: times an integer below 2^11 is exact
static const double ln2_low = 0x1.ef35793c76730p-45;

// x = k ln 2 + r, |r| <= 0.3466: gives exp(r) - 1 and *scale = 2^k. |x| <= 700.
static inline vector expm1_reduced(vector x, vector *scale)
{
    const vector shifted = x * log2_e + shifter;
    const vector k = shifted - shifter;
    const vector r = fused(k, (vector){0} - ln2_low, x - k * ln2_high);
    *scale = (vector)(((words)shifted + 1023) << 52);
    // The series to r^12 / 12!, its even and odd terms apart: two short chains run beside each other.
    const vector z = r * r;
    vector even = (vector){0} + 1.0 / 479001600.0, odd = (vector){0} + 1.0 / 39916800.0;
    even = horner(even, z, 1.0 / 3628800.0);
    even = horner(even, z, 1.0 / 40320.0);
    odd = horner(odd, z, 1.0 / 362880.0);
    even = horner(even, z, 1.0 / 720.0);
    odd = horner(odd, z, 1.0 / 5040.0);
    even = horner(even, z, 1.0 / 24.0);
    odd = horner(odd, z, 1.0 / 120.0);
    even = horner(even, z, 0.5);
    odd = horner(odd, z, 1.0 / 6.0);
    return fused(z, fused(r, odd, even), r);
}

// Both for |x| <= 700.
static inline vector exp_of(vector x)
{
    vector scale;
    const vector p = expm1_reduced(x, &scale);
    return fused(scale, p, scale);
}

static inline vector expm1_of(vector x)
{
    vector scale;
    const vector p = expm1_reduced(x, &scale);
    return fused(scale, p, scale - 1);
}

static inline vector at_most(vector x, double limit)
{
    return choose(x > limit, (vector){0} + limit, x); // a NaN stays
}

static inline vector clamped(vector x, double limit)
{
    x = at_most(x, limit);
    return choose(x < -limit, (vector){0} - limit, x);
}

// -tanh(-a) = -expm1(-2a) / (2 + expm1(-2a)): nothing cancels, nothing overflows. tanh(30) is 1 - 2^-85.
static inline vector tanh_of(vector x)
{
    const vector e = expm1_of(-2 * at_most(absolute(x), 30));
    return with_sign_of(absolute(e / (2 + e)), x);
}

static inline vector logistic_of(vector x)
{
    const vector e = exp_of(-at_most(absolute(x), 700));
    return choose(x < 0, e, (vector){0} + 1) / (1 + e);
}

// x positive, finite and normal: x = 2^k m with m in [sqrt(1/2), sqrt(2)), and log m = 2 artanh((m - 1) / (m + 1)).
static inline vector log_of(vector x)
{
    const uint64_t least = UINT64_C(0x3fe6a09e667f3bcd), one = UINT64_C(0x3ff0000000000000);
    const words biased = ((words)x + (one - least)) >> 52; // k + 1023
    const vector m = (vector)((words)x - ((biased - 1023) << 52));
    const vector k = (vector)(biased + UINT64_C(0x4338000000000000)) - (shifter + 1023);
    const vector f = m - 1;
    const vector s = f / (2 + f), z = s * s;
    vector p = (vector){0} + 2.0 / 21;
    p = horner(p, z, 2.0 / 19);
    p = horner(p, z, 2.0 / 17);
    p = horner(p, z, 2.0 / 15);
    p = horner(p, z, 2.0 / 13);
    p = horner(p, z, 2.0 / 11);
    p = horner(p, z, 2.0 / 9);
    p = horner(p, z, 2.0 / 7);
    p = horner(p, z, 2.0 / 5);
    p = horner(p, z, 2.0 / 3);
    const vector log_m = 2 * s + s * (z * p);
    return k * ln2_high + (k * ln2_low + log_m);
}

// log(u) for u = 1 + x rounded, and what the rounding lost, divided by u.
static inline vector log1p_of(vector x)
{
    const vector u = 1 + x;
    const vector lost = choose(x >= 1, 1 - (u - x), x - (u - 1));
    return log_of(u) + lost / u;
}

static inline vector sin_series(vector r)
{
    const vector z = r * r;
    vector p = (vector){0} + 1.0 / 355687428096000.0; // 1/17!
    p = horner(p, z, -1.0 / 1307674368000.0);
    p = horner(p, z, 1.0 / 6227020800.0);
    p = horner(p, z, -1.0 / 39916800.0);
    p = horner(p, z, 1.0 / 362880.0);
    p = horner(p, z, -1.0 / 5040.0);
    p = horner(p, z, 1.0 / 120.0);
    p = horner(p, z, -1.0 / 6.0);
    return r + r * (z * p);
}

static inline vector cos_series(vector r)
{
    const vector z = r * r;
    vector p = (vector){0} + 1.0 / 20922789888000.0; // 1/16!
    p = horner(p, z, -1.0 / 87178291200.0);
    p = horner(p, z, 1.0 / 479001600.0);
    p = horner(p, z, -1.0 / 3628800.0);
    p = horner(p, z, 1.0 / 40320.0);
    p = horner(p, z, -1.0 / 720.0);
    p = horner(p, z, 1.0 / 24.0);
    return 1 - (z * 0.5 - z * (z * p));
}

// sin(x + quarters * pi/2), |x| <= 2^20: Cody and Waite's reduction with pi/2 in parts of 33, 33 and 53 bits.
static inline vector sin_of(vector x, int quarters)
{
    const vector shifted = x * 0x1.45f306dc9c883p-1 + shifter;
    const vector k = shifted - shifter;
    const vector r = ((x - k * 0x1.921fb5440p+0) - k * 0x1.0b4611a60p-34) - k * 0x1.3198a2e037073p-69;
    const words quadrant = (words)shifted + (uint64_t)quarters;
    const vector y = choose((mask)((quadrant & 1) == 1), cos_series(r), sin_series(r));
    return (vector)((words)y ^ ((quadrant & 2) << 62));
}

static double erf_inv_ratio(double squared, double tail)
{
    const double at = squared <= 0.25 ? squared : tail;
    unsigned piece = 0;
    if (squared > 0.25)
        for (piece = 1; piece < ERF_INV_PIECES - 1 && at > erf_inv_piece[piece].to; piece++)
            ;
    const double from = erf_inv_piece[piece].from, to = erf_inv_piece[piece].to;
    const double t = (at - (from + to) / 2) * (2 / (to - from));
    double p = 0;
    for (int i = ERF_INV_TERMS - 1; i >= 0; i--)
        p = p * t + erf_inv_piece[piece].coefficient[i];
    return at <= to ? p : (double)NAN;
}

static inline vector erf_inv_of(vector x)
{
    const vector squared = x * x, logarithm = -log_of((1 - x) * (1 + x));
    vector ratio = {0};
    for (int i = 0; i < LANES; i++)
        ratio[i] = erf_inv_ratio(squared[i], sqrt(logarithm[i]));
    return x * ratio;
}

static inline mask normal(vector x)
{
    return (mask)((x >= 0x1p-1022) & (x <= 0x1.fffffffffffffp1023));
}

// Where the reductions above do not hold the error is infinite, and another look decides.
static inline __attribute__((always_inline)) void estimate_one(enum num_function function, vector x, vector *value,
                                                               vector *error)
{
    const vector infinite = (vector){0} + INFINITY;
    mask valid = ~(mask){0}; // a NaN stays one in the value
    double additional = 0, relative = 0x1p-46;
    vector y = x;
    switch (function) {
    case NUM_EXP:
        y = exp_of(clamped(x, 700));
        break;
    case NUM_EXPM1:
        y = expm1_of(clamped(x, 700));
        break;
    case NUM_LOG:
        valid = normal(x);
        y = log_of(x);
        break;
    case NUM_LOG1P:
        valid = normal(1 + x);
        y = log1p_of(x);
        break;
    case NUM_TANH:
        y = tanh_of(x);
        break;
    case NUM_LOGISTIC:
        y = logistic_of(x);
        break;
    case NUM_ERF_INV:
    case NUM_NORMAL_QUANTILE:
        valid = (mask)(absolute(x) < 1);
        relative = 0x1p-44;
        y = erf_inv_of(x);
        if (function == NUM_NORMAL_QUANTILE)
            y = y * 0x1.6a09e667f3bcdp+0;
        break;
    case NUM_SIN:
    case NUM_COS:
        valid = (mask)(absolute(x) <= 0x1p20);
        additional = 0x1p-90;
        y = sin_of(x, function == NUM_COS);
        break;
    case NUM_EXPONENTIAL:
        valid = normal(1 - x);
        y = -log1p_of(-x);
        break;
    case NUM_GUMBEL:
    case NUM_GUMBEL_HIGH: {
        const vector inner = function == NUM_GUMBEL ? -log_of(x) : -log1p_of(-x);
        valid = normal(function == NUM_GUMBEL ? x : 1 - x) & normal(inner);
        additional = 0x1p-45;
        y = -log_of(inner);
        break;
    }
    case NUM_FUNCTION_COUNT:
        break;
    }
    *value = y;
    *error = choose(valid, absolute(y) * relative + additional, infinite);
}

static inline __attribute__((always_inline)) void estimate_all(enum num_function function, size_t count, const double *x,
                                                               double *value, double *error)
{
    for (size_t i = 0; i < count; i += LANES) {
        vector in, y, e;
        memcpy(&in, x + i, sizeof in);
        estimate_one(function, in, &y, &e);
        memcpy(value + i, &y, sizeof y);
        memcpy(error + i, &e, sizeof e);
    }
}

// A loop for each function: with the function known, its constants stay in registers.
#define CASE(function)                                                                                                         \
    case function:                                                                                                             \
        estimate_all(function, count, x, value, error);                                                                        \
        break

void ESTIMATE(enum num_function function, size_t count, const double *x, double *value, double *error)
{
    switch (function) {
        CASE(NUM_EXP);
        CASE(NUM_EXPM1);
        CASE(NUM_LOG);
        CASE(NUM_LOG1P);
        CASE(NUM_TANH);
        CASE(NUM_LOGISTIC);
        CASE(NUM_ERF_INV);
        CASE(NUM_SIN);
        CASE(NUM_COS);
        CASE(NUM_NORMAL_QUANTILE);
        CASE(NUM_EXPONENTIAL);
        CASE(NUM_GUMBEL);
        CASE(NUM_GUMBEL_HIGH);
    case NUM_FUNCTION_COUNT:
        break;
    }
}
