// SPDX-License-Identifier: Apache-2.0
// Sums and products rounded once.
//
// f64 is the processor's own operation. Narrower operands are exact in double, their products too
// (two significands of at most 24 bits make 48, and no product of two of them leaves double's
// exponents); a sum that double cannot hold is rounded to odd there, after which rounding to at
// most 24 bits is as if from the exact sum (Boldo and Melquiond 2008, doi:10.1109/TC.2007.70819).

#include "ref/num/small_float.h"

#include <math.h>

#include "ref/base/bytes.h"
#include "ref/num/exact.h"

double num_sum_to_odd(double a, double b)
{
    const double sum = a + b;
    if (!isfinite(sum))
        return sum;
    const double part = sum - a;
    const double error = (a - (sum - part)) + (b - part); // Knuth's two-sum: a + b = sum + error
    const uint64_t bits = double_bits(sum);
    if (error == 0 || (bits & 1))
        return sum;
    return double_from_bits((error > 0) == (sum > 0) ? bits + 1 : bits - 1);
}

uint64_t num_add(enum dtype dtype, uint64_t a, uint64_t b)
{
    const double x = num_to_double(dtype, a), y = num_to_double(dtype, b);
    return num_from_double(dtype, dtype == DTYPE_F64 ? x + y : num_sum_to_odd(x, y));
}

uint64_t num_subtract(enum dtype dtype, uint64_t a, uint64_t b)
{
    return num_add(dtype, a, num_negate(dtype, b));
}

uint64_t num_multiply(enum dtype dtype, uint64_t a, uint64_t b)
{
    return num_from_double(dtype, num_to_double(dtype, a) * num_to_double(dtype, b));
}

uint64_t num_fma(enum dtype dtype, uint64_t a, uint64_t b, uint64_t c)
{
    const double x = num_to_double(dtype, a), y = num_to_double(dtype, b),
                 z = num_to_double(dtype, c);
    return num_from_double(dtype, dtype == DTYPE_F64 ? fma(x, y, z) : num_sum_to_odd(x * y, z));
}

uint64_t num_negate(enum dtype dtype, uint64_t a)
{
    const struct num_format *const f = num_format_of(dtype);
    if (num_is_nan(dtype, a) || f->codes == NUM_POWERS)
        return f->nan;
    return a == 0 && f->codes == NUM_ONE_ZERO ? a : a ^ f->sign;
}
