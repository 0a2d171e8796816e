// SPDX-License-Identifier: Apache-2.0
// Unpacking and packing. One piece of code serves every width: a format is a row of a table.

#include "ref/num/exact.h"

_Static_assert(sizeof(float) == 4 && sizeof(double) == 8, "binary32 and binary64");
_Static_assert(__FLT_EVAL_METHOD__ == 0, "an operation in a type is rounded to that type");

static const struct num_format format[DTYPE_COUNT] = {
    [DTYPE_F16] = {11, -14, 15, 0x7bff, 0x7c00, 0x7e00, 0x8000, NUM_SIGNED},
    [DTYPE_BF16] = {8, -126, 127, 0x7f7f, 0x7f80, 0x7fc0, 0x8000, NUM_SIGNED},
    [DTYPE_F32] = {24, -126, 127, 0x7f7fffff, 0x7f800000, 0x7fc00000, 0x80000000, NUM_SIGNED},
    [DTYPE_F64] = {53, -1022, 1023, 0x7fefffffffffffff, 0x7ff0000000000000, 0x7ff8000000000000,
                   0x8000000000000000, NUM_SIGNED},
    [DTYPE_F8E4M3] = {4, -6, 8, 0x7e, 0x7f, 0x7f, 0x80, NUM_SIGNED},
    [DTYPE_F8E5M2] = {3, -14, 15, 0x7b, 0x7c, 0x7e, 0x80, NUM_SIGNED},
    [DTYPE_F8E4M3FNUZ] = {4, -7, 7, 0x7f, 0x80, 0x80, 0x80, NUM_ONE_ZERO},
    [DTYPE_F8E5M2FNUZ] = {3, -15, 15, 0x7f, 0x80, 0x80, 0x80, NUM_ONE_ZERO},
    [DTYPE_F8E8M0] = {1, -126, 127, 0xfe, 0xff, 0xff, 0x100, NUM_POWERS},
    [DTYPE_F4E2M1] = {2, 0, 2, 0x7, 0x7, 0x7, 0x8, NUM_FINITE_ONLY},
};

const struct num_format *num_format_of(enum dtype dtype)
{
    return format[dtype].precision ? &format[dtype] : NULL;
}

uint64_t num_last_magnitude(enum dtype dtype)
{
    const struct num_format *const f = &format[dtype];
    return f->infinity == f->nan ? f->largest : f->infinity;
}

bool num_is_nan(enum dtype dtype, uint64_t bits)
{
    const struct num_format *const f = &format[dtype];
    if (f->codes == NUM_ONE_ZERO)
        return bits == f->nan;
    return f->sign && (bits & (f->sign - 1)) > num_last_magnitude(dtype);
}

static struct num_exact unpack_integer(enum dtype from, uint64_t bits)
{
    const unsigned width = dtype_bits(from);
    const uint64_t mask = width == 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;
    bits &= mask;
    const bool negative = dtype_kind(from) == DTYPE_KIND_SIGNED && bits >> (width - 1);
    return (struct num_exact){NUM_FINITE, negative, false, 0, negative ? (0 - bits) & mask : bits};
}

struct num_exact num_unpack(enum dtype from, uint64_t bits)
{
    const struct num_format *const f = num_format_of(from);
    if (!f)
        return unpack_integer(from, bits);
    const bool negative = f->codes != NUM_POWERS && (bits & f->sign) != 0;
    const uint64_t magnitude = bits & (f->sign - 1);
    if (f->codes == NUM_ONE_ZERO && negative && magnitude == 0)
        return (struct num_exact){NUM_NOT_A_NUMBER, false, false, 0, 0};
    if (f->codes == NUM_POWERS && magnitude == 0)
        return (struct num_exact){NUM_FINITE, false, false, f->exponent_min - 1, 1};
    if (magnitude > f->largest)
        return (struct num_exact){magnitude <= num_last_magnitude(from) ? NUM_INFINITE
                                                                        : NUM_NOT_A_NUMBER,
                                  negative, false, 0, 0};
    const uint64_t hidden = UINT64_C(1) << (f->precision - 1);
    const uint64_t field = magnitude / hidden, fraction = magnitude % hidden;
    const int exponent = f->exponent_min - (f->precision - 1);
    if (field == 0)
        return (struct num_exact){NUM_FINITE, negative, false, exponent, fraction};
    return (struct num_exact){NUM_FINITE, negative, false, exponent + (int)field - 1,
                              fraction | hidden};
}

// significand / 2^drop, rounded to an integer; *inexact tells whether anything was lost.
static uint64_t round_shift(const struct num_exact *value, int drop, enum num_rounding rounding,
                            bool *inexact)
{
    uint64_t kept = 0, half = 0, rest = 0;
    if (drop == 0) {
        kept = value->significand;
        rest = value->sticky;
    } else if (drop < 64) {
        kept = value->significand >> drop;
        half = value->significand >> (drop - 1) & 1;
        rest = (value->significand & ((UINT64_C(1) << (drop - 1)) - 1)) | value->sticky;
    } else if (drop == 64) {
        half = value->significand >> 63;
        rest = (value->significand << 1) | value->sticky;
    } else {
        rest = value->significand | value->sticky;
    }
    *inexact = half || rest;
    switch (rounding) {
    case NUM_NEAREST_EVEN:
        return kept + (half && (rest || (kept & 1)));
    case NUM_TOWARD_ZERO:
        return kept;
    case NUM_UP:
        return kept + (*inexact && !value->negative);
    case NUM_DOWN:
        return kept + (*inexact && value->negative);
    case NUM_TO_ODD:
        return kept | *inexact;
    }
    return kept;
}

// Where there is one zero, it has no sign.
static uint64_t with_sign(const struct num_format *f, bool negative, uint64_t magnitude)
{
    return negative && (magnitude || f->codes != NUM_ONE_ZERO) ? magnitude | f->sign : magnitude;
}

static uint64_t overflowed(const struct num_format *f, bool negative, enum num_rounding rounding,
                           enum num_overflow overflow)
{
    const bool away = rounding == NUM_NEAREST_EVEN || rounding == (negative ? NUM_DOWN : NUM_UP);
    if (overflow == NUM_SATURATE || !away || f->codes == NUM_FINITE_ONLY)
        return with_sign(f, negative, f->largest);
    if (f->infinity == f->nan)
        return f->nan;
    return with_sign(f, negative, f->infinity);
}

// The sign and magnitude of a number that is no NaN and, without a sign, not below 2^exponent_min.
static uint64_t pack_magnitude(const struct num_format *f, struct num_exact value,
                               enum num_rounding rounding, enum num_overflow overflow)
{
    if (value.kind == NUM_INFINITE)
        return overflowed(f, value.negative, NUM_NEAREST_EVEN, overflow);
    if (value.significand == 0)
        return with_sign(f, value.negative, 0);
    const int zeros = __builtin_clzll(value.significand);
    value.significand <<= zeros;
    value.exponent -= zeros;
    const int leading = value.exponent + 63; // 2^leading <= magnitude < 2^(leading + 1)
    if (leading > f->exponent_max)
        return overflowed(f, value.negative, rounding, overflow);
    const int above = leading > f->exponent_min ? leading - f->exponent_min : 0;
    const int drop =
        64 - f->precision + (leading < f->exponent_min ? f->exponent_min - leading : 0);
    bool inexact;
    const uint64_t kept = round_shift(&value, drop, rounding, &inexact);
    // The hidden bit counts as one in the exponent's field, so subnormals and a carry need no care.
    const uint64_t magnitude = kept + ((uint64_t)above << (f->precision - 1));
    return magnitude > f->largest ? overflowed(f, value.negative, rounding, overflow)
                                  : with_sign(f, value.negative, magnitude);
}

// Powers of two from 2^-127 on; what lies below becomes the first. Zero, which there is none of,
// saturates to it too, and is NaN otherwise; so is what is negative. The last of one significant
// bit is 1, so that ties go up to the larger power. The first code is no zero, as other formats
// have it, so that numbers beside it are rounded one power higher.
static uint64_t pack_power(const struct num_format *f, struct num_exact value,
                           enum num_rounding rounding, enum num_overflow overflow)
{
    if (value.kind == NUM_FINITE && value.significand == 0)
        return overflow == NUM_SATURATE ? 0 : f->nan;
    if (value.negative)
        return f->nan;
    const int leading = value.exponent + 63 - __builtin_clzll(value.significand | 1);
    if (value.kind == NUM_FINITE && leading < f->exponent_min - 1)
        return 0;
    if (value.kind == NUM_FINITE && leading == f->exponent_min - 1) {
        value.exponent++;
        return pack_magnitude(f, value, rounding, overflow) - 1;
    }
    return pack_magnitude(f, value, rounding, overflow);
}

static uint64_t pack_float(const struct num_format *f, struct num_exact value,
                           enum num_rounding rounding, enum num_overflow overflow)
{
    if (value.kind == NUM_NOT_A_NUMBER)
        return f->nan;
    return f->codes == NUM_POWERS ? pack_power(f, value, rounding, overflow)
                                  : pack_magnitude(f, value, rounding, overflow);
}

static uint64_t pack_integer(enum dtype to, struct num_exact value, enum num_rounding rounding,
                             enum num_overflow overflow)
{
    const unsigned width = dtype_bits(to);
    const uint64_t mask = width == 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;
    const bool is_signed = dtype_kind(to) == DTYPE_KIND_SIGNED;
    const uint64_t top = is_signed ? mask >> 1 : mask,
                   bottom = is_signed ? top + 1 : 0; // the two ends, as magnitudes
    if (value.kind == NUM_NOT_A_NUMBER || (value.kind == NUM_INFINITE && overflow == NUM_WRAP))
        return 0;
    bool huge = value.kind == NUM_INFINITE, inexact;
    uint64_t magnitude = 0;
    if (!huge && value.exponent < 0)
        magnitude =
            round_shift(&value, value.exponent < -65 ? 65 : -value.exponent, rounding, &inexact);
    else if (!huge && value.significand != 0) {
        huge = value.exponent > __builtin_clzll(value.significand);
        magnitude = value.exponent < 64 ? value.significand << value.exponent : 0;
    }
    if (overflow != NUM_WRAP && (huge || magnitude > (value.negative ? bottom : top)))
        magnitude = value.negative ? bottom : top;
    return (value.negative ? 0 - magnitude : magnitude) & mask;
}

uint64_t num_pack(enum dtype to, struct num_exact value, enum num_rounding rounding,
                  enum num_overflow overflow)
{
    const struct num_format *const f = num_format_of(to);
    if (f)
        return pack_float(f, value, rounding, overflow);
    if (to == DTYPE_BOOL)
        return value.kind != NUM_FINITE || value.significand != 0 || value.sticky;
    return pack_integer(to, value, rounding, overflow);
}
