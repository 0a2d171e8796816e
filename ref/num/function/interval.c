// SPDX-License-Identifier: Apache-2.0
// Intervals: what is not a sum.

#include "ref/num/function/interval.h"

#include <string.h>

#include "ref/base/bytes.h"
#include "ref/num/exact.h"
#include "ref/num/function/function_estimate.h"
#include "ref/num/small_float.h"

struct interval interval_multiply(struct interval a, struct interval b)
{
    const double p = a.lower * b.lower, q = a.lower * b.upper;
    const double r = a.upper * b.lower, s = a.upper * b.upper;
    if (isnan(p) || isnan(q) || isnan(r) || isnan(s))
        return interval_any();
    return interval_outward(fmin(fmin(p, q), fmin(r, s)), fmax(fmax(p, q), fmax(r, s)));
}

static double rounded(enum dtype dtype, double x)
{
    return num_to_double(dtype, num_from_double(dtype, x));
}

struct interval interval_round_any(enum dtype dtype, struct interval a)
{
    return (struct interval){rounded(dtype, a.lower), rounded(dtype, a.upper)};
}

static bool increasing(enum num_function function)
{
    return function != NUM_SIN && function != NUM_COS && function != NUM_GUMBEL_HIGH;
}

// What the function can never leave, whatever the error of the estimate.
static struct interval range_of(enum num_function function)
{
    const double infinity = (double)INFINITY;
    switch (function) {
    case NUM_EXP:
        return (struct interval){0, infinity};
    case NUM_EXPM1:
        return (struct interval){-1, infinity};
    case NUM_TANH:
        return (struct interval){-1, 1};
    case NUM_LOGISTIC:
        return (struct interval){0, 1};
    default:
        return interval_any();
    }
}

// How far from zero the estimate still moves; see function_kernel.h.
static double still_beyond(enum num_function function)
{
    const bool stands = function == NUM_EXP || function == NUM_EXPM1 || function == NUM_TANH ||
                        function == NUM_LOGISTIC;
    return stands ? 700 : (double)INFINITY;
}

// One end of each interval: estimate -+ error. An end beyond what the estimate reaches is brought
// back to it where that is on the safe side; on the other side the function's range is all that is
// known.
static void ends(enum num_function function, const double *x, size_t count, double side,
                 double *out)
{
    const struct interval range = range_of(function);
    const double limit = side < 0 ? range.lower : range.upper, still = still_beyond(function);
    const size_t whole = count / 8 * 8, rest = count - whole;
    const struct function_form *const form = function_form_chosen();
    double last[8] = {0};
    form->bound(function, side, still, limit, whole, x, out);
    memcpy(last, x + whole, rest * sizeof *last);
    form->bound(function, side, still, limit, rest ? 8 : 0, last, last);
    memcpy(out + whole, last, rest * sizeof *last);
}

void interval_function_array(enum num_function function, const double *lower, const double *upper,
                             size_t count, double *out_lower, double *out_upper)
{
    if (increasing(function)) {
        ends(function, lower, count, -1, out_lower);
        ends(function, upper, count, 1, out_upper);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        out_lower[i] = -(double)INFINITY;
        out_upper[i] = (double)INFINITY;
    }
}

// The exponent of 1 as a double has it, and how many bits stand below it.
enum { BIAS = 1023, FRACTION = 52 };

// 2^exponent, which is no infinity.
static double power_of_two(int exponent)
{
    return exponent > -BIAS ? double_from_bits((uint64_t)(exponent + BIAS) << FRACTION)
                            : ldexp(1, exponent);
}

double num_ulp(enum dtype dtype, double x)
{
    const struct num_format *const f = num_format_of(dtype);
    // Of a subnormal double it is below the least of every type.
    const int exponent = (int)(double_bits(x) >> FRACTION & 2047) - BIAS;
    return isfinite(x) ? power_of_two((exponent > f->exponent_min ? exponent : f->exponent_min) -
                                      f->precision + 1)
                       : (double)INFINITY;
}

double num_half_ulp(enum dtype dtype, double x)
{
    const struct num_format *const f = num_format_of(dtype);
    const double size = fabs(x) * (1 + 0x1p-20),
                 overflow = ldexp(1 - ldexp(1, -f->precision - 1), f->exponent_max + 1);
    return size < overflow ? num_ulp(dtype, size) / 2 : (double)INFINITY;
}

double num_low_bit(double x)
{
    const uint64_t bits = double_bits(x), fraction = bits & ((UINT64_C(1) << FRACTION) - 1);
    const int biased = (int)(bits >> FRACTION & 2047);
    if (!isfinite(x) || x == 0)
        return (double)INFINITY;
    const int below = __builtin_ctzll(fraction | UINT64_C(1) << FRACTION);
    return biased ? power_of_two(biased - BIAS - FRACTION + below)
                  : ldexp(1, 1 - BIAS - FRACTION + __builtin_ctzll(fraction));
}

double num_dot_radius(double n, double depth, double u, double flush, double magnitude,
                      double radius)
{
    const double sum = radius + depth * u * (1 + 0x1p-20) * magnitude + 4 * n * flush +
                       (n + 2) * 0x1p-52 * magnitude;
    return sum == 0 ? 0 : sum * (1 + 0x1p-50);
}
