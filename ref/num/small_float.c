// SPDX-License-Identifier: Apache-2.0
// Conversions, one number at a time.

#include "ref/num/small_float.h"

#include "ref/base/bytes.h"
#include "ref/num/exact.h"

uint64_t num_convert(enum dtype to, enum dtype from, uint64_t bits, enum num_rounding rounding,
                     enum num_overflow overflow)
{
    return num_pack(to, num_unpack(from, bits), rounding, overflow);
}

// f16 and bf16 in their normal range are rounded by one integer addition: just below half a unit,
// and one more when the last kept bit is 1. Below it f16 has steps of 2^-24, which are those of
// doubles from 2^28 on. What is left over goes the long way.
uint64_t num_from_double(enum dtype to, double value)
{
    const uint64_t bits = double_bits(value), magnitude = bits & (UINT64_MAX >> 1);
    if (to == DTYPE_F64 && value == value)
        return bits;
    if (to == DTYPE_F32 && value == value)
        return float_bits((float)value);
    if (to == DTYPE_F16 && magnitude >= UINT64_C(1009) << 52 && magnitude < UINT64_C(1038) << 52)
        return (bits >> 63 << 15) |
               (((magnitude + ((UINT64_C(1) << 41) - 1) + (magnitude >> 42 & 1)) >> 42) -
                (UINT64_C(1008) << 10));
    if (to == DTYPE_F16 && magnitude < UINT64_C(1009) << 52)
        return (bits >> 63 << 15) |
               (double_bits(double_from_bits(magnitude) + 0x1.8p28) - double_bits(0x1.8p28));
    if (to == DTYPE_BF16 && magnitude >= UINT64_C(897) << 52 && magnitude < UINT64_C(1150) << 52)
        return (bits >> 63 << 15) |
               (((magnitude + ((UINT64_C(1) << 44) - 1) + (magnitude >> 45 & 1)) >> 45) -
                (UINT64_C(896) << 7));
    return num_pack(to, num_unpack(DTYPE_F64, double_bits(value)), NUM_NEAREST_EVEN, NUM_IEEE);
}

// An integer of so many bits, sign or none.
static double from_integer(bool is_signed, unsigned width, uint64_t bits)
{
    const uint64_t top = UINT64_C(1) << (width - 1), kept = bits & (top | (top - 1));
    return is_signed && (kept & top) ? -(double)(top - (kept ^ top)) : (double)kept;
}

double num_to_double(enum dtype from, uint64_t bits)
{
    if (from == DTYPE_F64 && (bits & (UINT64_MAX >> 1)) <= UINT64_C(0x7ff) << 52)
        return double_from_bits(bits);
    if (from == DTYPE_F32 && (bits & 0x7fffffff) <= 0x7f800000)
        return (double)float_from_bits((uint32_t)bits);
    if (from == DTYPE_BF16 && (bits & 0x7fff) <= 0x7f80)
        return (double)float_from_bits((uint32_t)bits << 16);
    if (from == DTYPE_F16 && (bits & 0x7fff) < 0x7c00) {
        const uint64_t magnitude = bits & 0x7fff, sign = bits >> 15 << 63;
        const double subnormal = (double)magnitude * 0x1p-24;
        return double_from_bits(sign |
                                (magnitude < 0x400 ? double_bits(subnormal)
                                                   : (magnitude << 42) + (UINT64_C(1008) << 52)));
    }
    if (!num_format_of(from))
        return from_integer(dtype_kind(from) == DTYPE_KIND_SIGNED, dtype_bits(from), bits);
    return double_from_bits(
        num_pack(DTYPE_F64, num_unpack(from, bits), NUM_NEAREST_EVEN, NUM_IEEE));
}

bool num_less(enum dtype dtype, uint64_t a, uint64_t b)
{
    return num_to_double(dtype, a) < num_to_double(dtype, b);
}
