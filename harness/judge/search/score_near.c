// SPDX-License-Identifier: Apache-2.0
// When an element passes by a test's own tolerance: what NumPy's allclose and WebNN's distance in
// ULP say, with integers of 64 bits compared exactly.

#include <assert.h>
#include <math.h>

#include "harness/judge/compare/compare.h"
#include "harness/judge/search/score.h"
#include "ref/base/bytes.h"
#include "ref/num/exact.h"
#include "ref/num/small_float.h"

static double value_of(const struct tensor *tensor, size_t index, uint64_t bits)
{
    if (dtype_kind(tensor->dtype) == DTYPE_KIND_FLOAT)
        return num_to_double(tensor->dtype, bits);
    return dtype_kind(tensor->dtype) == DTYPE_KIND_SIGNED
               ? (double)operation_load_integer(tensor, index)
               : (double)bits;
}

// How many representable values apart, -0 and +0 being one.
static uint64_t float_steps(enum dtype dtype, uint64_t a, uint64_t b)
{
    const uint64_t sign = num_format_of(dtype)->sign;
    const uint64_t high = a & (sign - 1), low = b & (sign - 1);
    if ((a & sign) != (b & sign))
        return high + low;
    return high > low ? high - low : low - high;
}

static uint64_t integer_steps(const struct tensor *got, const struct tensor *expected, size_t index,
                              uint64_t a, uint64_t b)
{
    const bool above =
        dtype_kind(got->dtype) == DTYPE_KIND_SIGNED
            ? operation_load_integer(got, index) > operation_load_integer(expected, index)
            : a > b;
    const uint64_t difference = above ? a - b : b - a;
    const unsigned width = dtype_bits(got->dtype);
    return width == 64 ? difference : difference & ((UINT64_C(1) << width) - 1);
}

bool score_is_near(const struct score_tolerance *tolerance, const struct tensor *got,
                   const struct tensor *expected, size_t index)
{
    assert(got->dtype == expected->dtype);
    const enum dtype dtype = got->dtype;
    const bool floating = dtype_kind(dtype) == DTYPE_KIND_FLOAT;
    const uint64_t a = element_load(got->data, dtype_size(dtype), index);
    const uint64_t b = element_load(expected->data, dtype_size(dtype), index);
    if (a == b)
        return true;
    if (floating && (compare_is_nan(dtype, a) || compare_is_nan(dtype, b)))
        return compare_is_nan(dtype, a) && compare_is_nan(dtype, b);
    if (tolerance->in_steps)
        return (floating ? float_steps(dtype, a, b) : integer_steps(got, expected, index, a, b)) <=
               tolerance->steps;
    if (!floating && tolerance->rtol == 0 && tolerance->atol == 0)
        return false;
    const double g = value_of(got, index, a), e = value_of(expected, index, b);
    return (!(g < e) && !(g > e)) ||
           (isfinite(e) && fabs(g - e) <= tolerance->atol + tolerance->rtol * fabs(e));
}
