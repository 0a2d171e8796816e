// SPDX-License-Identifier: Apache-2.0
// Conversions, one number at a time.

#include "ref/num/small_float.h"

#include "ref/base/bytes.h"
#include "ref/num/exact.h"

uint64_t num_convert(enum dtype to, enum dtype from, uint64_t bits, enum num_rounding rounding, enum num_overflow overflow)
{
    return num_pack(to, num_unpack(from, bits), rounding, overflow);
}

uint64_t num_from_double(enum dtype to, double value)
{
    return num_pack(to, num_unpack(DTYPE_F64, double_bits(value)), NUM_NEAREST_EVEN, NUM_IEEE);
}

double num_to_double(enum dtype from, uint64_t bits)
{
    if (from == DTYPE_F32 && (bits & 0x7fffffff) <= 0x7f800000)
        return (double)float_from_bits((uint32_t)bits);
    return double_from_bits(num_pack(DTYPE_F64, num_unpack(from, bits), NUM_NEAREST_EVEN, NUM_IEEE));
}

bool num_is_nan(enum dtype dtype, uint64_t a)
{
    return num_unpack(dtype, a).kind == NUM_NOT_A_NUMBER;
}

bool num_is_finite(enum dtype dtype, uint64_t a)
{
    return num_unpack(dtype, a).kind == NUM_FINITE;
}

bool num_less(enum dtype dtype, uint64_t a, uint64_t b)
{
    return num_to_double(dtype, a) < num_to_double(dtype, b);
}

bool num_equal(enum dtype dtype, uint64_t a, uint64_t b)
{
    return num_to_double(dtype, a) == num_to_double(dtype, b);
}
