// SPDX-License-Identifier: Apache-2.0
// The types beside IEEE's and OFP8's: their codes by a table that is written out, and rounding as
// a search for the nearest of all codes.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "ref/num/exact.h"
#include "ref/num/small_float.h"
#include "ref/num/tests/oracle.h"

static void assert_bits(uint64_t got, uint64_t expected)
{
    if (got != expected)
        fail_msg("got %llx, expected %llx", (unsigned long long)got, (unsigned long long)expected);
}

static const struct format {
    enum dtype dtype;
    int fraction_bits, bias;
    unsigned codes;
    double largest;
} formats[] = {{DTYPE_F8E4M3FNUZ, 3, 8, 256, 240},
               {DTYPE_F8E5M2FNUZ, 2, 16, 256, 57344},
               {DTYPE_F4E2M1, 1, 1, 16, 6}};
enum { FORMATS = sizeof formats / sizeof *formats };

// (-1)^s * 2^(e - bias) * (1 + f), and NaN for the -0 of the two that have none.
static double value_of(const struct format *f, unsigned code)
{
    const unsigned magnitude = code % (f->codes / 2), negative = code / (f->codes / 2);
    const int field = (int)(magnitude >> f->fraction_bits),
              fraction = (int)(magnitude & ((1u << f->fraction_bits) - 1)),
              hidden = field ? 1 << f->fraction_bits : 0;
    const double value = ldexp(hidden + fraction, (field ? field : 1) - f->bias - f->fraction_bits);
    if (negative && !magnitude && f->dtype != DTYPE_F4E2M1)
        return (double)NAN;
    return negative ? -value : value;
}

static void every_code_means_what_its_fields_say(void **state)
{
    (void)state;
    static const double four_bits[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
    for (const struct format *f = formats; f < formats + FORMATS; f++)
        for (unsigned code = 0; code < f->codes; code++) {
            const double expected = value_of(f, code), got = num_to_double(f->dtype, code);
            assert_true(oracle_same(got, expected));
            assert_true(num_is_nan(f->dtype, code) == (isnan(expected) != 0));
            assert_bits(num_from_double(f->dtype, expected), code);
            assert_bits(num_negate(f->dtype, code), num_from_double(f->dtype, -expected));
        }
    for (unsigned code = 0; code < 16; code++)
        assert_true(fabs(num_to_double(DTYPE_F4E2M1, code)) == four_bits[code % 8]);
    for (unsigned code = 0; code < 255; code++) {
        assert_true(num_to_double(DTYPE_F8E8M0, code) == ldexp(1, (int)code - 127));
        assert_false(num_is_nan(DTYPE_F8E8M0, code));
        assert_bits(num_from_double(DTYPE_F8E8M0, ldexp(1, (int)code - 127)), code);
    }
    assert_true(isnan(num_to_double(DTYPE_F8E8M0, 0xff)) && num_is_nan(DTYPE_F8E8M0, 0xff));
    static const enum dtype integers[] = {DTYPE_I4, DTYPE_U4, DTYPE_I2, DTYPE_U2};
    for (size_t i = 0; i < sizeof integers / sizeof *integers; i++) {
        const int count = 1 << dtype_bits(integers[i]);
        for (int code = 0; code < count; code++) {
            const bool negative = i % 2 == 0 && code >= count / 2;
            assert_true(num_to_double(integers[i], (uint64_t)code) ==
                        code - (negative ? count : 0));
        }
    }
}

// The code of the nearest number, of two the one with an even code; what is beyond the largest by
// half a step or more is what the format makes of it.
static uint64_t nearest(const struct format *f, double x, enum num_overflow overflow)
{
    const double step = f->largest - value_of(f, (f->codes / 2) - 2);
    const unsigned sign = f->codes / 2 * (signbit(x) != 0);
    if (fabs(x) >= f->largest + step / 2)
        return overflow == NUM_SATURATE || f->dtype == DTYPE_F4E2M1 ? f->codes / 2 - 1 + sign
                                                                    : 0x80;
    unsigned best = 0;
    for (unsigned code = 1; code < f->codes / 2; code++) {
        const double now = fabs(value_of(f, code) - fabs(x)),
                     was = fabs(value_of(f, best) - fabs(x));
        if (now < was || (now == was && code % 2 == 0))
            best = code;
    }
    return best || f->dtype == DTYPE_F4E2M1 ? best + sign : 0;
}

static void what_lies_between_goes_to_the_nearer(void **state)
{
    (void)state;
    for (const struct format *f = formats; f < formats + FORMATS; f++)
        for (unsigned code = 0; code < f->codes / 2; code++) {
            const double low = value_of(f, code),
                         high = code + 1 < f->codes / 2 ? value_of(f, code + 1) : 1.5 * low;
            for (int i = 0; i <= 16; i++)
                for (int beside = -1; beside <= 1; beside++) {
                    const double at = low + (high - low) * i / 16,
                                 x = beside ? nextafter(at, beside < 0 ? -INFINITY : INFINITY) : at;
                    for (enum num_overflow mode = NUM_IEEE; mode <= NUM_SATURATE; mode++)
                        for (int sign = -1; sign <= 1; sign += 2)
                            assert_bits(num_convert(f->dtype, DTYPE_F64, double_bits(sign * x),
                                                    NUM_NEAREST_EVEN, mode),
                                        nearest(f, sign * x, mode));
                }
        }
}

static void the_ends_are_as_the_texts_have_them(void **state)
{
    (void)state;
    static const struct {
        enum dtype to;
        double value;
        enum num_rounding rounding;
        uint64_t ieee, saturated;
    } row[] = {
        {DTYPE_F8E4M3FNUZ, 247.9, NUM_NEAREST_EVEN, 0x7f, 0x7f},
        {DTYPE_F8E4M3FNUZ, 248, NUM_NEAREST_EVEN, 0x80, 0x7f},
        {DTYPE_F8E4M3FNUZ, -1e9, NUM_NEAREST_EVEN, 0x80, 0xff},
        {DTYPE_F8E4M3FNUZ, -INFINITY, NUM_NEAREST_EVEN, 0x80, 0xff},
        {DTYPE_F8E4M3FNUZ, (double)NAN, NUM_NEAREST_EVEN, 0x80, 0x80},
        {DTYPE_F8E4M3FNUZ, -0.0, NUM_NEAREST_EVEN, 0, 0},
        {DTYPE_F8E4M3FNUZ, -1e-9, NUM_NEAREST_EVEN, 0, 0},
        {DTYPE_F8E4M3FNUZ, -1e-9, NUM_DOWN, 0x81, 0x81},
        {DTYPE_F8E4M3FNUZ, 1000, NUM_TOWARD_ZERO, 0x7f, 0x7f},
        {DTYPE_F8E5M2FNUZ, 61440, NUM_NEAREST_EVEN, 0x80, 0x7f},
        {DTYPE_F8E5M2FNUZ, -0x1p-18, NUM_NEAREST_EVEN, 0, 0},
        {DTYPE_F8E5M2FNUZ, -0x1.8p-18, NUM_NEAREST_EVEN, 0x81, 0x81},
        {DTYPE_F4E2M1, INFINITY, NUM_NEAREST_EVEN, 7, 7},
        {DTYPE_F4E2M1, -7, NUM_NEAREST_EVEN, 0xf, 0xf},
        {DTYPE_F4E2M1, (double)NAN, NUM_NEAREST_EVEN, 7, 7},
        {DTYPE_F4E2M1, -0.25, NUM_NEAREST_EVEN, 8, 8},
        {DTYPE_F8E8M0, 0, NUM_NEAREST_EVEN, 0xff, 0},
        {DTYPE_F8E8M0, -2, NUM_NEAREST_EVEN, 0xff, 0xff},
        {DTYPE_F8E8M0, 0x1p-1000, NUM_NEAREST_EVEN, 0, 0},
        {DTYPE_F8E8M0, 0x1.7ffp-127, NUM_NEAREST_EVEN, 0, 0},
        {DTYPE_F8E8M0, 0x1.8p-127, NUM_NEAREST_EVEN, 1, 1},
        {DTYPE_F8E8M0, 0x1.001p-127, NUM_UP, 1, 1},
        {DTYPE_F8E8M0, 0x1.fffp-127, NUM_DOWN, 0, 0},
        {DTYPE_F8E8M0, 3, NUM_NEAREST_EVEN, 0x81, 0x81},
        {DTYPE_F8E8M0, 2.999, NUM_NEAREST_EVEN, 0x80, 0x80},
        {DTYPE_F8E8M0, 2.001, NUM_UP, 0x81, 0x81},
        {DTYPE_F8E8M0, 3.999, NUM_DOWN, 0x80, 0x80},
        {DTYPE_F8E8M0, 0x1.7ffp127, NUM_NEAREST_EVEN, 0xfe, 0xfe},
        {DTYPE_F8E8M0, 0x1.8p127, NUM_NEAREST_EVEN, 0xff, 0xfe},
        {DTYPE_F8E8M0, INFINITY, NUM_NEAREST_EVEN, 0xff, 0xfe},
        {DTYPE_F8E8M0, (double)NAN, NUM_NEAREST_EVEN, 0xff, 0xff},
        {DTYPE_I4, 7.5, NUM_NEAREST_EVEN, 7, 7},
        {DTYPE_I4, -100, NUM_NEAREST_EVEN, 8, 8},
        {DTYPE_U4, -1, NUM_NEAREST_EVEN, 0, 0},
        {DTYPE_U4, 14.5, NUM_NEAREST_EVEN, 14, 14},
        {DTYPE_I2, -1, NUM_NEAREST_EVEN, 3, 3},
        {DTYPE_U2, 9, NUM_NEAREST_EVEN, 3, 3},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        for (enum num_overflow mode = NUM_IEEE; mode <= NUM_SATURATE; mode++)
            assert_bits(
                num_convert(row[i].to, DTYPE_F64, double_bits(row[i].value), row[i].rounding, mode),
                mode == NUM_IEEE ? row[i].ieee : row[i].saturated);
    for (int x = -40; x <= 40; x++) {
        const uint64_t bits = double_bits(x);
        assert_bits(num_convert(DTYPE_I4, DTYPE_F64, bits, NUM_TOWARD_ZERO, NUM_WRAP), x & 15);
        assert_bits(num_convert(DTYPE_U2, DTYPE_F64, bits, NUM_TOWARD_ZERO, NUM_WRAP), x & 3);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_code_means_what_its_fields_say),
        cmocka_unit_test(what_lies_between_goes_to_the_nearer),
        cmocka_unit_test(the_ends_are_as_the_texts_have_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
