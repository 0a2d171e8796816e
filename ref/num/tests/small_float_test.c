// SPDX-License-Identifier: Apache-2.0
// Small floats against their definitions, against MPFR, and, for f16, against the compiler's own
// type.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "ref/num/exact.h"
#include "ref/num/small_float.h"
#include "ref/num/tests/oracle.h"

static const enum dtype floats[] = {DTYPE_F16, DTYPE_BF16,   DTYPE_F32,
                                    DTYPE_F64, DTYPE_F8E4M3, DTYPE_F8E5M2};
enum { FLOATS = sizeof floats / sizeof *floats };

static void assert_bits(uint64_t got, uint64_t expected)
{
    if (got != expected)
        fail_msg("got %llx, expected %llx", (unsigned long long)got, (unsigned long long)expected);
}

// Every code of a format by the textbook formula (-1)^s * 2^(e - bias) * (1 + f), subnormals
// without the 1.
static void every_code_of_16_and_8_bits_means_what_its_fields_say(void **state)
{
    (void)state;
    static const struct {
        enum dtype dtype;
        int exponent_bits, fraction_bits;
    } row[] = {{DTYPE_F16, 5, 10}, {DTYPE_BF16, 8, 7}, {DTYPE_F8E4M3, 4, 3}, {DTYPE_F8E5M2, 5, 2}};
    for (size_t r = 0; r < sizeof row / sizeof *row; r++) {
        const int width = 1 + row[r].exponent_bits + row[r].fraction_bits,
                  bias = (1 << (row[r].exponent_bits - 1)) - 1;
        for (int code = 0; code < 1 << width; code++) {
            const int field = (code >> row[r].fraction_bits) & ((1 << row[r].exponent_bits) - 1);
            const int fraction = code & ((1 << row[r].fraction_bits) - 1);
            const bool top = field == (1 << row[r].exponent_bits) - 1;
            double expected = field ? ldexp((1 << row[r].fraction_bits) + fraction,
                                            field - bias - row[r].fraction_bits)
                                    : ldexp(fraction, 1 - bias - row[r].fraction_bits);
            if (row[r].dtype == DTYPE_F8E4M3 ? top && fraction == 7 : top)
                expected = fraction && !(row[r].dtype != DTYPE_F8E4M3 && fraction == 0)
                               ? (double)NAN
                               : (double)INFINITY;
            expected = code >> (width - 1) ? -expected : expected;
            const double got = num_to_double(row[r].dtype, (uint64_t)code);
            if (!oracle_same(got, expected))
                fail_msg("%s %x: got %a, expected %a", dtype_name(row[r].dtype), (unsigned)code,
                         got, expected);
            if (!isnan(expected))
                assert_bits(num_from_double(row[r].dtype, expected), (uint64_t)code);
        }
    }
}

// Between two neighbours the middle goes to the even one, and a double just beside the middle to
// the nearer one.
static void neighbours_divide_what_lies_between_them(void **state)
{
    (void)state;
    static const struct {
        enum dtype dtype;
        uint64_t largest, stride;
    } row[] = {{DTYPE_F16, 0x7bff, 1},
               {DTYPE_BF16, 0x7f7f, 1},
               {DTYPE_F8E4M3, 0x7e, 1},
               {DTYPE_F8E5M2, 0x7b, 1},
               {DTYPE_F32, 0x7f7fffff, 4099}};
    for (size_t r = 0; r < sizeof row / sizeof *row; r++)
        for (uint64_t low = 0; low < row[r].largest; low += row[r].stride) {
            const double middle =
                (num_to_double(row[r].dtype, low) + num_to_double(row[r].dtype, low + 1)) / 2;
            assert_bits(num_from_double(row[r].dtype, middle), low + (low & 1));
            assert_bits(num_from_double(row[r].dtype, nextafter(middle, 0)), low);
            assert_bits(num_from_double(row[r].dtype, nextafter(middle, INFINITY)), low + 1);
        }
    assert_bits(num_from_double(DTYPE_F16, 65519.99), 0x7bff);
    assert_bits(num_from_double(DTYPE_F16, 65520), 0x7c00);
    assert_bits(num_from_double(DTYPE_F8E4M3, 464),
                0x7e); // halfway to what would be 480 goes to the even 448
    assert_bits(num_from_double(DTYPE_F8E4M3, 464.01), 0x7f);
    assert_bits(num_from_double(DTYPE_F32, -(double)NAN), 0x7fc00000);
}

static const struct {
    enum num_rounding ours;
    mpfr_rnd_t theirs;
} modes[] = {{NUM_NEAREST_EVEN, MPFR_RNDN},
             {NUM_TOWARD_ZERO, MPFR_RNDZ},
             {NUM_UP, MPFR_RNDU},
             {NUM_DOWN, MPFR_RNDD}};

static double value_of(enum dtype dtype, uint64_t bits)
{
    return num_to_double(dtype, bits);
}

static void doubles_round_as_mpfr_rounds_them_in_every_direction(void **state)
{
    (void)state;
    uint64_t seed = 1;
    mpfr_t x;
    mpfr_init2(x, 53);
    for (int n = 0; n < 60000; n++) {
        uint64_t bits = oracle_random(&seed);
        if (n & 1) // exponents near those of the small formats
            bits = (bits & 0x800fffffffffffff) |
                   (uint64_t)(1023 - 30 + (int)(oracle_random(&seed) % 50)) << 52;
        else if (n & 2)
            bits = (bits & 0x800fffffffffffff) |
                   (uint64_t)(1023 - 152 + (int)(oracle_random(&seed) % 300)) << 52;
        if (!isfinite(double_from_bits(bits)))
            continue;
        mpfr_set_d(x, double_from_bits(bits), MPFR_RNDN);
        for (size_t t = 0; t < FLOATS; t++)
            for (size_t m = 0; m < sizeof modes / sizeof *modes; m++) {
                const uint64_t got =
                    num_convert(floats[t], DTYPE_F64, bits, modes[m].ours, NUM_IEEE);
                const double expected = oracle_round(floats[t], x, modes[m].theirs);
                // Directed rounding of e4m3 beyond 448 stays at 448; the oracle only knows NaN
                // there.
                const double kept = floats[t] == DTYPE_F8E4M3 && isnan(expected) && got != 0x7f
                                        ? value_of(floats[t], got)
                                        : expected;
                if (!oracle_same(value_of(floats[t], got), kept))
                    fail_msg("%a to %s mode %zu: got %llx, expected %a", double_from_bits(bits),
                             dtype_name(floats[t]), m, (unsigned long long)got, expected);
            }
    }
    mpfr_clear(x);
}

// Round to odd: exact, or the neighbour whose last bit is 1; so a second rounding to two bits fewer
// is a single rounding.
static void odd_rounding_can_be_rounded_again(void **state)
{
    (void)state;
    uint64_t seed = 2;
    for (int n = 0; n < 20000; n++) {
        uint64_t bits = (oracle_random(&seed) & 0x800fffffffffffff) | (uint64_t)(1023 - 13 + n % 26)
                                                                          << 52;
        if (n % 2) // just beside, or on, a tie of f16
            bits = (bits & 0xfffffc0000000000) + (UINT64_C(1) << 41) + (uint64_t)(n / 2 % 3) - 1;
        const uint64_t odd = num_convert(DTYPE_F32, DTYPE_F64, bits, NUM_TO_ODD, NUM_IEEE);
        assert_bits(num_convert(DTYPE_F16, DTYPE_F32, odd, NUM_NEAREST_EVEN, NUM_IEEE),
                    num_from_double(DTYPE_F16, double_from_bits(bits)));
    }
}

static void integers_saturate_or_wrap_as_asked(void **state)
{
    (void)state;
    static const struct {
        enum dtype to;
        double value;
        enum num_rounding rounding;
        uint64_t saturated, wrapped;
    } row[] = {
        {DTYPE_U8, 0.5, NUM_NEAREST_EVEN, 0, 0},
        {DTYPE_U8, 1.5, NUM_NEAREST_EVEN, 2, 2},
        {DTYPE_U8, 2.5, NUM_NEAREST_EVEN, 2, 2},
        {DTYPE_U8, 255.5, NUM_NEAREST_EVEN, 255, 0},
        {DTYPE_U8, -1, NUM_TOWARD_ZERO, 0, 255},
        {DTYPE_U8, -0.9, NUM_TOWARD_ZERO, 0, 0},
        {DTYPE_I8, 127.5, NUM_NEAREST_EVEN, 0x7f, 0x80},
        {DTYPE_I8, -128.5, NUM_NEAREST_EVEN, 0x80, 0x80},
        {DTYPE_I8, -129, NUM_DOWN, 0x80, 0x7f},
        {DTYPE_I32, 4294967297.0, NUM_NEAREST_EVEN, 0x7fffffff, 1},
        {DTYPE_U64, 0x1p64, NUM_NEAREST_EVEN, ~0ull, 0},
        {DTYPE_U64, 0x1.8p64, NUM_NEAREST_EVEN, ~0ull, 1ull << 63},
        {DTYPE_I64, -0x1p63, NUM_NEAREST_EVEN, 1ull << 63, 1ull << 63},
        {DTYPE_I64, 0x1p1000, NUM_NEAREST_EVEN, ~0ull >> 1, 0},
        {DTYPE_I16, -2.5, NUM_TO_ODD, 0xfffd, 0xfffd},
        {DTYPE_I16, -2.5, NUM_UP, 0xfffe, 0xfffe},
        {DTYPE_BOOL, 1e-300, NUM_NEAREST_EVEN, 1, 1},
        {DTYPE_BOOL, -0.0, NUM_NEAREST_EVEN, 0, 0},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        assert_bits(num_convert(row[i].to, DTYPE_F64, double_bits(row[i].value), row[i].rounding,
                                NUM_SATURATE),
                    row[i].saturated);
        assert_bits(
            num_convert(row[i].to, DTYPE_F64, double_bits(row[i].value), row[i].rounding, NUM_IEEE),
            row[i].saturated);
        assert_bits(
            num_convert(row[i].to, DTYPE_F64, double_bits(row[i].value), row[i].rounding, NUM_WRAP),
            row[i].wrapped);
    }
    assert_bits(num_convert(DTYPE_I32, DTYPE_F32, 0x7fc00000, NUM_NEAREST_EVEN, NUM_SATURATE), 0);
    assert_bits(num_convert(DTYPE_I32, DTYPE_F32, 0xff800000, NUM_NEAREST_EVEN, NUM_SATURATE),
                0x80000000);
    assert_bits(num_convert(DTYPE_U16, DTYPE_I16, 0xffff, NUM_NEAREST_EVEN, NUM_WRAP), 0xffff);
    assert_bits(num_convert(DTYPE_U16, DTYPE_I16, 0xffff, NUM_NEAREST_EVEN, NUM_SATURATE), 0);
    assert_bits(num_convert(DTYPE_F32, DTYPE_U64, UINT64_MAX, NUM_NEAREST_EVEN, NUM_IEEE),
                0x5f800000);
    assert_bits(num_convert(DTYPE_F32, DTYPE_I64, 16777217, NUM_NEAREST_EVEN, NUM_IEEE),
                0x4b800000);
    assert_bits(num_convert(DTYPE_F16, DTYPE_F32, 0x7f800000, NUM_NEAREST_EVEN, NUM_SATURATE),
                0x7bff);
}

// OCP OFP8, revision 1.0: the saturating and the other mode of a conversion.
static void eight_bits_saturate_or_do_not(void **state)
{
    (void)state;
    static const struct {
        double value;
        uint64_t e4m3, e4m3_saturated, e5m2, e5m2_saturated;
    } row[] = {{448, 0x7e, 0x7e, 0x5f, 0x5f},        {464, 0x7e, 0x7e, 0x5f, 0x5f},
               {465, 0x7f, 0x7e, 0x5f, 0x5f},        {-1e4, 0x7f, 0xfe, 0xf1, 0xf1},
               {57344, 0x7f, 0x7e, 0x7b, 0x7b},      {61439, 0x7f, 0x7e, 0x7b, 0x7b},
               {61440, 0x7f, 0x7e, 0x7c, 0x7b},      {-61440, 0x7f, 0xfe, 0xfc, 0xfb},
               {INFINITY, 0x7f, 0x7e, 0x7c, 0x7b},   {-INFINITY, 0x7f, 0xfe, 0xfc, 0xfb},
               {(double)NAN, 0x7f, 0x7f, 0x7e, 0x7e}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        const uint64_t bits = double_bits(row[i].value);
        for (enum num_overflow mode = NUM_IEEE; mode <= NUM_SATURATE; mode++) {
            assert_bits(num_convert(DTYPE_F8E4M3, DTYPE_F64, bits, NUM_NEAREST_EVEN, mode),
                        mode == NUM_IEEE ? row[i].e4m3 : row[i].e4m3_saturated);
            assert_bits(num_convert(DTYPE_F8E5M2, DTYPE_F64, bits, NUM_NEAREST_EVEN, mode),
                        mode == NUM_IEEE ? row[i].e5m2 : row[i].e5m2_saturated);
        }
    }
}

// Whatever lies above an integer's own bits is not looked at.
static void integers_and_doubles_become_doubles_as_they_are_packed(void **state)
{
    (void)state;
    uint64_t seed = 5;
    for (enum dtype from = DTYPE_BOOL; from < DTYPE_COUNT; from++)
        for (int i = 0; i < 4000; i++) {
            const uint64_t bits = i < 4    ? UINT64_MAX << (i % 2) >> (i / 2)
                                  : i < 68 ? UINT64_C(1) << (i - 4)
                                           : oracle_random(&seed) >> (i % 64);
            assert_bits(double_bits(num_to_double(from, bits)),
                        num_pack(DTYPE_F64, num_unpack(from, bits), NUM_NEAREST_EVEN, NUM_IEEE));
        }
}

// Both numbers round as one by one, in the places of vectors and behind them.
static void check_f8(enum dtype small, const uint32_t both[2])
{
    enum { COUNT = 99 };
    uint32_t in[COUNT];
    uint8_t got[COUNT], want[2];
    for (size_t i = 0; i < COUNT; i++)
        in[i] = both[i * 5 / 2 % 2];
    for (size_t i = 0; i < 2; i++)
        want[i] = (uint8_t)num_convert(small, DTYPE_F32, both[i], NUM_NEAREST_EVEN, NUM_IEEE);
    num_convert_array(small, got, DTYPE_F32, in, COUNT);
    for (size_t i = 0; i < COUNT; i++)
        assert_bits(got[i], want[i * 5 / 2 % 2]);
}

// A tie, at an odd code and an even one, and what has no finite code, in every place of a vector,
// among numbers that are neither.
static void rare_numbers_are_found_in_every_place(void **state)
{
    (void)state;
    enum { COUNT = 64 };
    static const float rare[] = {1.1875F, 1.0625F, 1.375F, 1.125F,   -1.1875F,
                                 -1.375F, 500.0F,  7e4F,   INFINITY, NAN};
    for (enum dtype small = DTYPE_F8E4M3; small <= DTYPE_F8E5M2; small++)
        for (size_t r = 0; r < sizeof rare / sizeof *rare; r++)
            for (size_t place = 0; place < COUNT; place++) {
                float in[COUNT];
                uint8_t got[COUNT];
                for (size_t i = 0; i < COUNT; i++)
                    in[i] = i == place ? rare[r] : ldexpf(1.2345678F, (int)(i + place) % 9 - 5);
                num_convert_array(small, got, DTYPE_F32, in, COUNT);
                for (size_t i = 0; i < COUNT; i++)
                    assert_bits(got[i], num_convert(small, DTYPE_F32, float_bits(in[i]),
                                                    NUM_NEAREST_EVEN, NUM_IEEE));
            }
}

static void arrays_convert_as_their_elements_do(void **state)
{
    (void)state;
    enum { COUNT = 4099 };
    static uint64_t in[COUNT], out[COUNT];
    uint64_t seed = 3;
    for (enum dtype from = DTYPE_BOOL; from < DTYPE_COUNT; from++)
        for (enum dtype to = DTYPE_BOOL; to < DTYPE_COUNT; to++) {
            for (size_t i = 0; i < COUNT; i++) {
                const uint64_t word = from == DTYPE_BOOL ? i & 1 : oracle_random(&seed) >> 11;
                const bool ones = i == 5 && from != DTYPE_BOOL; // a NaN with a sign and a payload
                element_store(in, dtype_size(from), i,
                              (ones ? UINT64_MAX : word << (from == DTYPE_F64 ? 11 : 0)) &
                                  dtype_last_code(from));
            }
            num_convert_array(to, out, from, in, COUNT);
            for (size_t i = 0; i < COUNT; i++)
                assert_bits(element_load(out, dtype_size(to), i),
                            num_convert(to, from, element_load(in, dtype_size(from), i),
                                        NUM_NEAREST_EVEN, NUM_IEEE));
        }
    for (enum dtype small = DTYPE_F8E4M3; small <= DTYPE_F8E5M2;
         small++) // a stride through f32, most of it in the small range
        for (uint64_t bits = 0; bits < UINT64_C(1) << 31;
             bits += bits >> 24 > 0x38 && bits >> 24 < 0x50 ? 8191 : 262139) {
            const uint32_t both[2] = {(uint32_t)bits, (uint32_t)bits | 0x80000000};
            check_f8(small, both);
        }
    for (enum dtype small = DTYPE_F8E4M3; small <= DTYPE_F8E5M2;
         small++) // every tie, and beside it
        for (uint64_t code = 0; code < (small == DTYPE_F8E4M3 ? 0x7e : 0x7b); code++)
            for (int nudge = -1; nudge <= 1; nudge++) {
                const double middle =
                    (num_to_double(small, code) + num_to_double(small, code + 1)) / 2;
                const uint32_t tie = float_bits((float)middle) + (uint32_t)nudge;
                check_f8(small, (const uint32_t[2]){tie, tie | 0x80000000});
            }
    for (enum dtype half = DTYPE_F16; half <= DTYPE_BF16; half++) { // every code of the fast forms
        static uint16_t code[1 << 16];
        static uint32_t wide[1 << 16];
        for (uint32_t i = 0; i < 1 << 16; i++)
            code[i] = (uint16_t)i;
        num_convert_array(DTYPE_F32, wide, half, code, 1 << 16);
        for (uint32_t i = 0; i < 1 << 16; i++)
            assert_bits(wide[i], num_from_double(DTYPE_F32, num_to_double(half, i)));
        static uint32_t tie[1 << 16]; // on and beside the ties of the narrower format
        static uint16_t narrow[1 << 16];
        for (int nudge = -1; nudge <= 1; nudge++) {
            for (uint32_t i = 0; i < 1 << 16; i++)
                tie[i] = wide[i] + (half == DTYPE_F16 ? 0x1000u : 0x8000u) + (uint32_t)nudge;
            num_convert_array(half, narrow, DTYPE_F32, tie, 1 << 16);
            for (uint32_t i = 0; i < 1 << 16; i++)
                assert_bits(narrow[i],
                            num_convert(half, DTYPE_F32, tie[i], NUM_NEAREST_EVEN, NUM_IEEE));
        }
        num_convert_array(half, code, DTYPE_F32, wide, 1 << 16);
        for (uint32_t i = 0; i < 1 << 16; i++)
            assert_bits(code[i],
                        isnan(num_to_double(half, i)) ? num_from_double(half, (double)NAN) : i);
    }
}

#if defined(__FLT16_MANT_DIG__) && defined(__GNUC__) && !defined(__clang__)
static void f16_agrees_with_the_compilers_own_type(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 1 << 16; i++) {
        const uint16_t bits = (uint16_t)i;
        __extension__ _Float16 theirs;
        memcpy(&theirs, &bits, sizeof theirs);
        assert_true(oracle_same((double)theirs, num_to_double(DTYPE_F16, i)));
    }
    for (uint64_t i = 0; i < UINT64_C(1) << 32; i += 65521 * 7) {
        __extension__ const _Float16 theirs = (_Float16)float_from_bits((uint32_t)i);
        uint16_t bits;
        memcpy(&bits, &theirs, sizeof bits);
        const uint64_t ours = num_convert(DTYPE_F16, DTYPE_F32, i, NUM_NEAREST_EVEN, NUM_IEEE);
        assert_true(ours == bits || (isnan(num_to_double(DTYPE_F16, ours)) &&
                                     isnan(num_to_double(DTYPE_F16, bits))));
    }
}
#else
static void f16_agrees_with_the_compilers_own_type(void **state)
{
    (void)state;
    skip();
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_code_of_16_and_8_bits_means_what_its_fields_say),
        cmocka_unit_test(neighbours_divide_what_lies_between_them),
        cmocka_unit_test(doubles_round_as_mpfr_rounds_them_in_every_direction),
        cmocka_unit_test(odd_rounding_can_be_rounded_again),
        cmocka_unit_test(integers_saturate_or_wrap_as_asked),
        cmocka_unit_test(eight_bits_saturate_or_do_not),
        cmocka_unit_test(integers_and_doubles_become_doubles_as_they_are_packed),
        cmocka_unit_test(rare_numbers_are_found_in_every_place),
        cmocka_unit_test(arrays_convert_as_their_elements_do),
        cmocka_unit_test(f16_agrees_with_the_compilers_own_type),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
