// SPDX-License-Identifier: Apache-2.0
// Elements that a results file gives as bits, shown as numbers.

#include "reports/value.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// What the highest exponent of a binary float holds beside numbers.
enum top {
    TOP_INFINITIES,
    TOP_NAN,      // the last fraction is NaN
    TOP_ONE_ZERO, // numbers alone; -0 is NaN, and the bias is 1 higher
    TOP_NUMBERS,  // numbers alone; there is no NaN
    TOP_POWERS    // the last is NaN; there is no sign, and no zero
};

// Widths of a binary float.
struct format {
    unsigned exponent, fraction, digits;
    enum top top;
};

static const struct format formats[DTYPE_COUNT] = {
    [DTYPE_F16] = {5, 10, 5, TOP_INFINITIES},     [DTYPE_BF16] = {8, 7, 4, TOP_INFINITIES},
    [DTYPE_F32] = {8, 23, 9, TOP_INFINITIES},     [DTYPE_F64] = {11, 52, 17, TOP_INFINITIES},
    [DTYPE_F8E4M3] = {4, 3, 5, TOP_NAN},          [DTYPE_F8E5M2] = {5, 2, 5, TOP_INFINITIES},
    [DTYPE_F8E4M3FNUZ] = {4, 3, 5, TOP_ONE_ZERO}, [DTYPE_F8E5M2FNUZ] = {5, 2, 5, TOP_ONE_ZERO},
    [DTYPE_F8E8M0] = {8, 0, 5, TOP_POWERS},       [DTYPE_F4E2M1] = {2, 1, 2, TOP_NUMBERS},
};

bool value_parse(enum dtype dtype, const char *hex, uint64_t *bits)
{
    *bits = strtoull(hex, NULL, 16);
    return strlen(hex) == 2 * dtype_size(dtype);
}

// Exact: every format here is contained in double.
static double float_value(const struct format *format, uint64_t bits)
{
    const uint64_t fraction = bits & ((UINT64_C(1) << format->fraction) - 1);
    const uint64_t exponent = bits >> format->fraction & ((UINT64_C(1) << format->exponent) - 1);
    const uint64_t highest = (UINT64_C(1) << format->exponent) - 1;
    const int bias = (1 << (format->exponent - 1)) - (format->top != TOP_ONE_ZERO);
    const uint64_t ones = (UINT64_C(1) << format->fraction) - 1;
    const bool negative = bits >> (format->exponent + format->fraction) & 1;
    double value;
    if (exponent == highest && format->top == TOP_INFINITIES)
        value = fraction ? (double)NAN : (double)INFINITY;
    else if ((format->top == TOP_NAN || format->top == TOP_POWERS) && exponent == highest &&
             fraction == ones)
        value = (double)NAN;
    else if (format->top == TOP_ONE_ZERO && negative && !exponent && !fraction)
        value = (double)NAN;
    else if (format->top == TOP_POWERS)
        value = ldexp(1, (int)exponent - bias);
    else if (exponent)
        value = ldexp((double)(fraction | UINT64_C(1) << format->fraction),
                      (int)exponent - bias - (int)format->fraction);
    else
        value = ldexp((double)fraction, 1 - bias - (int)format->fraction);
    return negative ? -value : value;
}

static int64_t sign_extend(enum dtype dtype, uint64_t bits)
{
    const unsigned width = dtype_bits(dtype);
    const uint64_t sign = UINT64_C(1) << (width - 1);
    return (int64_t)((bits ^ sign) - sign);
}

void value_write(enum dtype dtype, uint64_t bits, char text[VALUE_TEXT_SIZE])
{
    switch (dtype_kind(dtype)) {
    case DTYPE_KIND_BOOL:
        snprintf(text, VALUE_TEXT_SIZE, "%s",
                 bits == 0   ? "false"
                 : bits == 1 ? "true"
                             : "neither 0 nor 1");
        return;
    case DTYPE_KIND_SIGNED:
        snprintf(text, VALUE_TEXT_SIZE, "%" PRId64, sign_extend(dtype, bits));
        return;
    case DTYPE_KIND_FLOAT: {
        const double value = float_value(&formats[dtype], bits);
        if (isnan(value)) {
            snprintf(text, VALUE_TEXT_SIZE, "nan");
            return;
        }
        // Wide formats: the fewest digits that are read back as the same value. Narrow ones are
        // short enough as they are.
        const bool narrow = dtype != DTYPE_F32 && dtype != DTYPE_F64;
        for (unsigned digits = narrow ? formats[dtype].digits : 1; digits <= formats[dtype].digits;
             digits++) {
            snprintf(text, VALUE_TEXT_SIZE, "%.*g", (int)digits, value);
            if (dtype == DTYPE_F32 ? strtof(text, NULL) == (float)value
                                   : strtod(text, NULL) == value)
                return;
        }
        return;
    }
    default:
        snprintf(text, VALUE_TEXT_SIZE, "%" PRIu64, bits);
        return;
    }
}

unsigned value_fields(enum dtype dtype, unsigned width[3])
{
    const struct format *const format = &formats[dtype];
    if (!format->exponent) {
        width[0] = dtype_bits(dtype);
        return 1;
    }
    if (format->top == TOP_POWERS) {
        width[0] = format->exponent;
        return 1;
    }
    width[0] = 1;
    width[1] = format->exponent;
    width[2] = format->fraction;
    return 3;
}

// Sign and magnitude to a line on which neighbours are one apart; both zeros are 0.
static int64_t place_on_line(const struct format *format, uint64_t bits)
{
    const unsigned sign = format->exponent + format->fraction;
    const uint64_t magnitude = bits & ((UINT64_C(1) << sign) - 1);
    return bits >> sign & 1 ? -(int64_t)magnitude : (int64_t)magnitude;
}

bool value_steps(enum dtype dtype, uint64_t expected, uint64_t got, int64_t *steps)
{
    switch (dtype_kind(dtype)) {
    case DTYPE_KIND_FLOAT: {
        const struct format *const format = &formats[dtype];
        if (isnan(float_value(format, expected)) || isnan(float_value(format, got)))
            return false;
        return !__builtin_sub_overflow(place_on_line(format, got), place_on_line(format, expected),
                                       steps);
    }
    case DTYPE_KIND_SIGNED:
        return !__builtin_sub_overflow(sign_extend(dtype, got), sign_extend(dtype, expected),
                                       steps);
    case DTYPE_KIND_UNSIGNED:
        *steps = (int64_t)(got - expected);
        return got >= expected ? *steps >= 0 : *steps < 0;
    default:
        return false;
    }
}
