// SPDX-License-Identifier: Apache-2.0
// Elements that a results file gives as bits, shown as numbers.

#include "reports/value.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Widths of a binary float, and whether its highest exponent holds infinities (f8e4m3 keeps only
// NaN there).
struct format {
    unsigned exponent, fraction, digits;
    bool infinities;
};

static const struct format formats[DTYPE_COUNT] = {
    [DTYPE_F16] = {5, 10, 5, true},    [DTYPE_BF16] = {8, 7, 4, true},
    [DTYPE_F32] = {8, 23, 9, true},    [DTYPE_F64] = {11, 52, 17, true},
    [DTYPE_F8E4M3] = {4, 3, 5, false}, [DTYPE_F8E5M2] = {5, 2, 5, true},
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
    const int bias = (1 << (format->exponent - 1)) - 1;
    const bool negative = bits >> (format->exponent + format->fraction) & 1;
    double value;
    if (exponent == highest && format->infinities)
        value = fraction ? (double)NAN : (double)INFINITY;
    else if (exponent == highest && fraction == (UINT64_C(1) << format->fraction) - 1)
        value = (double)NAN;
    else if (exponent)
        value = ldexp((double)(fraction | UINT64_C(1) << format->fraction),
                      (int)exponent - bias - (int)format->fraction);
    else
        value = ldexp((double)fraction, 1 - bias - (int)format->fraction);
    return negative ? -value : value;
}

static int64_t sign_extend(enum dtype dtype, uint64_t bits)
{
    const unsigned width = 8 * (unsigned)dtype_size(dtype);
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
        width[0] = 8 * (unsigned)dtype_size(dtype);
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
