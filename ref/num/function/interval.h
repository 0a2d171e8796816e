// SPDX-License-Identifier: Apache-2.0
// Intervals in double, rounded outward: the arithmetic from which the admissible results of other
// implementations are derived.
//
// An interval holds every number that a computation within some model may have reached. Sums and
// products here cost a few nextafter's worth of width, far below the half ulps of f32 that they
// enclose. A bound that is NaN (inf - inf) says nothing is known: interval_any takes its place, and
// holds NaN besides every number.
// Rounding to nearest is monotone, so what lies in [lower, upper] before a rounding lies in
// [RN(lower), RN(upper)] after it (interval_round): never half an ulp on each side.

#ifndef ASSAY_REF_NUM_FUNCTION_INTERVAL_H
#define ASSAY_REF_NUM_FUNCTION_INTERVAL_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include "ref/base/dtype.h"
#include "ref/num/function/function.h"

struct interval {
    double lower, upper;
};

// ---- outward rounding -------------------------------------------------------

// A double below (above) every real number whose rounded value is x: half an ulp is at most 2^-53
// of x, and the last bit of the factor decides the ties.
static inline double interval_below(double x)
{
    return x - (fabs(x) * 0x1.0000000000001p-53 + 0x1p-1074);
}

static inline double interval_above(double x)
{
    return x + (fabs(x) * 0x1.0000000000001p-53 + 0x1p-1074);
}

static inline struct interval interval_any(void)
{
    return (struct interval){-(double)INFINITY, (double)INFINITY};
}

static inline bool interval_is_any(struct interval a)
{
    return a.lower == -(double)INFINITY && a.upper == (double)INFINITY;
}

// Outward from computed bounds.
static inline struct interval interval_outward(double lower, double upper)
{
    const struct interval result = {interval_below(lower), interval_above(upper)};
    return isnan(result.lower) || isnan(result.upper) ? interval_any() : result;
}

static inline struct interval interval_of(double x)
{
    return isnan(x) ? interval_any() : (struct interval){x, x};
}

// fmin and fmax, which compilers leave to calls.
static inline double interval_least(double x, double y)
{
    return x <= y || isnan(y) ? x : y;
}

static inline double interval_most(double x, double y)
{
    return x >= y || isnan(y) ? x : y;
}

// ---- measures ---------------------------------------------------------------

static inline double interval_magnitude(struct interval a)
{
    return interval_most(fabs(a.lower), fabs(a.upper));
}

static inline double interval_middle(struct interval a)
{
    return a.lower == a.upper ? a.lower : a.lower * 0.5 + a.upper * 0.5;
}

// At least the distance from interval_middle to either end.
static inline double interval_radius(struct interval a)
{
    const double middle = interval_middle(a), radius = fmax(a.upper - middle, middle - a.lower);
    return radius == 0 ? 0 : interval_above(radius);
}

// ---- arithmetic -------------------------------------------------------------

// What RN(a + b) leaves out of a + b, exactly (Knuth's two-sum); NaN where it is infinite.
static inline double interval_left_out(double a, double b)
{
    const double sum = a + b, of_b = sum - a;
    return (a - (sum - of_b)) + (b - of_b);
}

// The same of a * b, where neither is beyond 2^990 and the product is not below 2^-900 (Dekker
// 1971).
static inline double interval_product_left_out(double a, double b)
{
    const double split = 0x1p27 + 1, product = a * b;
    const double ca = split * a, cb = split * b;
    const double ah = ca - (ca - a), al = a - ah, bh = cb - (cb - b), bl = b - bh;
    return ((ah * bh - product) + ah * bl + al * bh) + al * bl;
}

// An end that is exact stays where it is.
static inline struct interval interval_add(struct interval a, struct interval b)
{
    const double lower = a.lower + b.lower, upper = a.upper + b.upper;
    const struct interval outward = interval_outward(lower, upper);
    return (struct interval){interval_left_out(a.lower, b.lower) == 0 ? lower : outward.lower,
                             interval_left_out(a.upper, b.upper) == 0 ? upper : outward.upper};
}

static inline struct interval interval_subtract(struct interval a, struct interval b)
{
    return interval_outward(a.lower - b.upper, a.upper - b.lower);
}

static inline struct interval interval_negate(struct interval a)
{
    return (struct interval){-a.upper, -a.lower};
}

// The four corners. A corner 0 * inf is a NaN: interval_any.
struct interval interval_multiply(struct interval a, struct interval b);

// [lower - e, upper + e], e >= 0.
static inline struct interval interval_widen(struct interval a, double e)
{
    return e == 0 ? a : interval_outward(a.lower - e, a.upper + e);
}

static inline struct interval interval_hull(struct interval a, struct interval b)
{
    return (struct interval){interval_least(a.lower, b.lower), interval_most(a.upper, b.upper)};
}

// To f32, and back.
static inline double interval_single(double x)
{
    volatile float narrow =
        (float)x; // gcc 12 takes both ends as one vector and then leaves out a pair of conversions
    return (double)narrow;
}

// Both ends rounded to nearest even to a float dtype: what may be stored.
struct interval interval_round_any(enum dtype dtype, struct interval a);
static inline struct interval interval_round(enum dtype dtype, struct interval a)
{
    if (dtype != DTYPE_F32)
        return dtype == DTYPE_F64 ? a : interval_round_any(dtype, a);
    const double lower = interval_single(a.lower);
    return (struct interval){lower, a.upper == a.lower ? lower : interval_single(a.upper)};
}

// The range of a function over an interval. Increasing functions alone: NUM_EXP, NUM_EXPM1,
// NUM_LOG, NUM_LOG1P, NUM_TANH, NUM_LOGISTIC, NUM_ERF_INV, NUM_NORMAL_QUANTILE, NUM_EXPONENTIAL,
// NUM_GUMBEL; interval_any for the others. A bound outside the function's domain gives an infinite
// one. `count` intervals, given as two arrays; out may be in.
void interval_function_array(enum num_function function, const double *lower, const double *upper,
                             size_t count, double *out_lower, double *out_upper);

// ---- running error ----------------------------------------------------------

// The distance between neighbours of `dtype` at magnitude x: 2^(floor(log2 x) - precision + 1), at
// least the least subnormal.
double num_ulp(enum dtype dtype, double x);

// Half of the largest ulp that a number near x (a relative 2^-20 above) can have: what one rounding
// of it may have cost; infinite where that may give an infinity. The margin is for a quantity that
// carries an earlier error across a power of two.
double num_half_ulp(enum dtype dtype, double x);

// The largest power of two that divides x; +inf for 0.
double num_low_bit(double x);

// How far a computed dot product of n nonzero leaves may be from the middle: `radius` of the leaves
// themselves (sum of rad * |w|), `magnitude` the sum of |leaf|, `depth` the roundings that one leaf
// may meet, u the unit roundoff of the accumulator, flush the largest number that may become 0.
// Sums in any order, any blocking, fused or not (Jeannerod and Rump 2013, doi:10.1137/120894488).
// Includes (n + 2) 2^-52 of the magnitude for a middle computed in double.
double num_dot_radius(double n, double depth, double u, double flush, double magnitude,
                      double radius);

#endif
