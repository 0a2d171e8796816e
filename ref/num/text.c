// SPDX-License-Identifier: Apache-2.0
// Numbers as text. MPFR converts between the bases; the grammar, the one rounding and the range are
// checked here.

#include "ref/num/text.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <mpfr.h>

#include "ref/base/bytes.h"
#include "ref/num/exact.h"
#include "ref/num/mpfr_exact.h"

enum { TEXT_MAX = 4096 }; // longer spellings of a number are refused

static const char *scan_digits(const char *at, const char *end, bool hexadecimal)
{
    while (at < end &&
           ((*at >= '0' && *at <= '9') ||
            (hexadecimal && ((*at >= 'a' && *at <= 'f') || (*at >= 'A' && *at <= 'F')))))
        at++;
    return at;
}

static enum error refuse(enum dtype dtype, const char *text, size_t length, const char *expected,
                         struct diagnostic *diagnostic)
{
    const int shown = length > 60 ? 60 : (int)length;
    return diagnostic_fail(diagnostic, ERROR_INPUT, "found \"%.*s%s\", expected %s for %s", shown,
                           text, length > 60 ? "..." : "", expected, dtype_name(dtype));
}

static enum error parse_integer(enum dtype dtype, const char *text, size_t length, uint64_t *bits,
                                struct diagnostic *diagnostic)
{
    const char *const end = text + length;
    const char *at = text;
    const bool negative = at < end && *at == '-';
    at += at < end && (*at == '-' || *at == '+');
    const bool hexadecimal = end - at > 2 && at[0] == '0' && at[1] == 'x';
    at += hexadecimal ? 2 : 0;
    const char *const digits = at;
    at = scan_digits(at, end, hexadecimal);
    if (at == digits || at != end)
        return refuse(dtype, text, length, "an integer (digits only, or 0x...)", diagnostic);
    if (!hexadecimal && end - digits > 1 && *digits == '0')
        return refuse(dtype, text, length, "an integer without leading zeros", diagnostic);
    uint64_t magnitude = 0;
    bool fits = true;
    for (at = digits; at < end; at++) {
        const uint64_t digit = (uint64_t)(*at <= '9' ? *at - '0' : (*at | 0x20) - 'a' + 10);
        fits = fits &&
               !__builtin_mul_overflow(magnitude, (uint64_t)(hexadecimal ? 16 : 10), &magnitude) &&
               !__builtin_add_overflow(magnitude, digit, &magnitude);
    }
    const struct num_exact value = {NUM_FINITE, negative && magnitude != 0, false, 0, magnitude};
    const uint64_t saturated = num_pack(dtype, value, NUM_TOWARD_ZERO, NUM_SATURATE);
    const struct num_exact back = num_unpack(dtype, saturated);
    if (!fits || back.significand != magnitude || back.negative != value.negative)
        return refuse(dtype, text, length, "an integer in range", diagnostic);
    *bits = saturated;
    return ERROR_NONE;
}

// Whether the text is a decimal or a hexadecimal float as a whole.
static bool float_grammar(const char *at, const char *end)
{
    at += at < end && (*at == '-' || *at == '+');
    const bool hexadecimal = end - at > 2 && at[0] == '0' && at[1] == 'x';
    at += hexadecimal ? 2 : 0;
    const char *const whole = at;
    at = scan_digits(at, end, hexadecimal);
    ptrdiff_t digits = at - whole;
    if (at < end && *at == '.') {
        const char *const fraction = ++at;
        at = scan_digits(at, end, hexadecimal);
        digits += at - fraction;
    }
    if (digits == 0)
        return false;
    if (at < end && (hexadecimal ? *at == 'p' || *at == 'P' : *at == 'e' || *at == 'E')) {
        at++;
        at += at < end && (*at == '-' || *at == '+');
        const char *const exponent = at;
        at = scan_digits(at, end, false);
        if (at == exponent)
            return false;
    }
    return at == end;
}

// Whether a number is rounded past the largest one: by half a unit in the last place, a tie too.
static bool is_beyond(const struct num_format *f, struct num_exact value)
{
    const double magnitude =
        fabs(double_from_bits(num_pack(DTYPE_F64, value, NUM_TOWARD_ZERO, NUM_SATURATE)));
    return magnitude >= ldexp(2 - ldexp(1, -f->precision), f->exponent_max);
}

static enum error parse_float(enum dtype dtype, const char *text, size_t length, uint64_t *bits,
                              struct diagnostic *diagnostic)
{
    const struct num_format *const f = num_format_of(dtype);
    const bool has_infinity = f->infinity != f->nan, has_nan = f->codes != NUM_FINITE_ONLY;
    if (has_nan && length == 3 && !memcmp(text, "nan", 3)) {
        *bits = f->nan;
        return ERROR_NONE;
    }
    const bool negative = length == 4 && text[0] == '-';
    if (has_infinity && (length == 3 || negative) && !memcmp(text + negative, "inf", 3)) {
        *bits = f->infinity | (negative ? f->sign : 0);
        return ERROR_NONE;
    }
    char copy[TEXT_MAX + 1];
    if (length > TEXT_MAX || !float_grammar(text, text + length))
        return refuse(dtype, text, length,
                      has_infinity ? "a decimal number, 0x1.8p3, nan, inf or -inf"
                      : has_nan    ? "a decimal number, 0x1.8p3 or nan"
                                   : "a decimal number or 0x1.8p3",
                      diagnostic);
    memcpy(copy, text, length);
    copy[length] = 0;
    mpfr_t x;
    mpfr_init2(x, 64);
    // Truncated to 64 bits, with the knowledge that something was cut off, it can still be rounded
    // as if exact. Exponents beyond MPFR's own range end as zero or as its largest number, and so
    // round as they should.
    const bool inexact = mpfr_strtofr(x, copy, NULL, 0, MPFR_RNDZ) != 0;
    const struct num_exact value = num_exact_of_mpfr(x, inexact);
    mpfr_clear(x);
    const uint64_t packed = num_pack(dtype, value, NUM_NEAREST_EVEN, NUM_IEEE);
    const struct num_exact near = num_unpack(dtype, packed);
    if (near.kind == NUM_NOT_A_NUMBER || (!has_nan && is_beyond(f, value)))
        return refuse(dtype, text, length, "a number in range", diagnostic);
    *bits = packed;
    return ERROR_NONE;
}

enum error num_parse(enum dtype dtype, const char *text, size_t length, uint64_t *bits,
                     struct diagnostic *diagnostic)
{
    switch (dtype_kind(dtype)) {
    case DTYPE_KIND_BOOL:
        if ((length == 4 && !memcmp(text, "true", 4)) ||
            (length == 5 && !memcmp(text, "false", 5))) {
            *bits = length == 4;
            return ERROR_NONE;
        }
        return refuse(dtype, text, length, "true or false", diagnostic);
    case DTYPE_KIND_SIGNED:
    case DTYPE_KIND_UNSIGNED:
        return parse_integer(dtype, text, length, bits, diagnostic);
    case DTYPE_KIND_FLOAT:
        return parse_float(dtype, text, length, bits, diagnostic);
    case DTYPE_KIND_NONE:
        break;
    }
    return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT, "a number needs a dtype, found %s",
                           dtype_name(dtype));
}

// Lays out 0.d1d2d3... * 10^point.
static void lay_out(char *text, size_t size, bool negative, const char *digits, long point)
{
    const int count = (int)strlen(digits);
    const char *const sign = negative ? "-" : "";
    if (point > 16 || point < -4)
        snprintf(text, size, "%s%c%s%se%d", sign, digits[0], count > 1 ? "." : "", digits + 1,
                 (int)(point - 1));
    else if (point <= 0)
        snprintf(text, size, "%s0.%.*s%s", sign, (int)-point, "0000", digits);
    else if (count <= point)
        snprintf(text, size, "%s%s%.*s.0", sign, digits, (int)(point - count), "0000000000000000");
    else
        snprintf(text, size, "%s%.*s.%s", sign, (int)point, digits, digits + point);
}

static void format_float(enum dtype dtype, uint64_t bits, char *text, size_t size)
{
    const struct num_exact value = num_unpack(dtype, bits);
    if (value.kind != NUM_FINITE) {
        snprintf(text, size, "%s",
                 value.kind == NUM_NOT_A_NUMBER ? "nan"
                 : value.negative               ? "-inf"
                                                : "inf");
        return;
    }
    if (value.significand == 0) {
        snprintf(text, size, "%s", value.negative ? "-0.0" : "0.0");
        return;
    }
    mpfr_t x;
    mpfr_init2(x, 64);
    mpfr_set_uj_2exp(x, value.significand, value.exponent, MPFR_RNDN);
    for (size_t count = 1; count <= 17; count++) { // 17 digits tell any two doubles apart
        char digits[24] = "";                      // MPFR wants room for at least 7
        mpfr_exp_t point;
        uint64_t back;
        mpfr_get_str(digits, &point, 10, count, x, MPFR_RNDN);
        for (size_t last = strlen(digits); last > 1 && digits[last - 1] == '0'; last--)
            digits[last - 1] = 0;
        lay_out(text, size, value.negative, digits, point);
        if (num_parse(dtype, text, strlen(text), &back, NULL) == ERROR_NONE && back == bits)
            break;
    }
    mpfr_clear(x);
}

size_t num_format(enum dtype dtype, uint64_t bits, char *text, size_t size)
{
    char whole[2 * NUM_TEXT_SIZE] = ""; // what the compiler can prove to be enough
    const struct num_exact value = num_unpack(dtype, bits);
    if (dtype == DTYPE_BOOL)
        snprintf(whole, sizeof whole, "%s", bits ? "true" : "false");
    else if (dtype_kind(dtype) == DTYPE_KIND_FLOAT)
        format_float(dtype, bits, whole, sizeof whole);
    else
        snprintf(whole, sizeof whole, "%s%llu", value.negative ? "-" : "",
                 (unsigned long long)value.significand);
    const size_t length = strlen(whole);
    if (size > 0) {
        const size_t kept = length < size ? length : size - 1;
        memcpy(text, whole, kept);
        text[kept] = 0;
    }
    return length;
}
