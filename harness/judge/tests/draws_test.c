// SPDX-License-Identifier: Apache-2.0
// Draws that are uniform are not accused, however they are rounded; those that are not, or hang
// together, are.

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "harness/judge/compare/draws.h"
#include "ref/base/bytes.h"
#include "ref/num/small_float.h"
#include "ref/rng/philox.h"

// ASSAY_FULL=1 audits every way of every type, right ones under many seeds.
enum { SEEDS = 1, SEEDS_FULL = 40, QUICK = 4 };

// Word `index` of the stream `seed`.
static uint32_t word(uint32_t seed, uint64_t index)
{
    const struct philox_counter counter = {{index / 4}};
    const struct philox_key key = {{seed}};
    return (uint32_t)philox_block(&philox4x32, counter, key, PHILOX_ROUNDS).word[index % 4];
}

// How a target makes a draw of [low, high) of the words of a stream.
typedef double make_draw(uint32_t seed, uint64_t index, double low, double high);

static double unit(uint32_t seed, uint64_t index, int bits)
{
    return ldexp(word(seed, index) >> (32 - bits), -bits);
}

static double of_32_bits(uint32_t seed, uint64_t index, double low, double high)
{
    return low + unit(seed, index, 32) * (high - low);
}

static double of_52_bits(uint32_t seed, uint64_t index, double low, double high)
{
    const double u = unit(seed, 2 * index, 32) + ldexp(word(seed, 2 * index + 1) >> 12, -52);
    return low + u * (high - low);
}

static double of_24_bits(uint32_t seed, uint64_t index, double low, double high)
{
    return low + unit(seed, index, 24) * (high - low);
}

static double of_16_bits(uint32_t seed, uint64_t index, double low, double high)
{
    return low + unit(seed, index, 16) * (high - low);
}

// The grids of the specification: 7 bits of bf16, 10 of f16.
static double of_7_bits(uint32_t seed, uint64_t index, double low, double high)
{
    return low + unit(seed, index, 7) * (high - low);
}

static double of_10_bits(uint32_t seed, uint64_t index, double low, double high)
{
    return low + unit(seed, index, 10) * (high - low);
}

static double from_above(uint32_t seed, uint64_t index, double low, double high)
{
    return high - (unit(seed, index, 23) + 0x1p-23) * (high - low);
}

static double remainder_of_32_bits(uint32_t seed, uint64_t index, double low, double high)
{
    return low + word(seed, index) % (uint32_t)(high - low);
}

// ---- wrong --------------------------------------------------------------------

static double squared(uint32_t seed, uint64_t index, double low, double high)
{
    const double u = unit(seed, index, 32);
    return low + u * u * (high - low);
}

static double slightly_bent(uint32_t seed, uint64_t index, double low, double high)
{
    return low + pow(unit(seed, index, 32), 1.05) * (high - low);
}

// A part of 2^-11 of the range that never comes: what lies there comes from below it.
static double with_a_gap(uint32_t seed, uint64_t index, double low, double high)
{
    const double u = unit(seed, index, 32), at = 0.3, wide = 0x1p-11;
    return low + (u >= at && u < at + wide ? u - wide : u) * (high - low);
}

// The same of 2^-8, which the grids of 16-bit floats do not hide.
static double with_a_wide_gap(uint32_t seed, uint64_t index, double low, double high)
{
    const double u = unit(seed, index, 32), at = 0.3, wide = 0x1p-8;
    return low + (u >= at && u < at + wide ? u - wide : u) * (high - low);
}

static double upper_half_alone(uint32_t seed, uint64_t index, double low, double high)
{
    return low + (0.5 + unit(seed, index, 32) / 2) * (high - low);
}

static double twice_each(uint32_t seed, uint64_t index, double low, double high)
{
    return of_32_bits(seed, index / 2, low, high);
}

static double short_period(uint32_t seed, uint64_t index, double low, double high)
{
    return of_32_bits(seed, index % 60000, low, high);
}

static double steps(uint32_t seed, uint64_t index, double low, double high)
{
    return low + fmod(seed / 7.0 + 0.6180339887498949 * (double)index, 1) * (high - low);
}

static const struct way {
    const char *name;
    make_draw *make;
    unsigned dtypes;
    bool right;
} ways[] = {
    {"52 bits", of_52_bits, DTYPES_FLOAT, true},
    {"32 bits", of_32_bits, DTYPES_FLOAT & ~DTYPE_BIT(DTYPE_F64), true},
    {"24 bits", of_24_bits, DTYPES_FLOAT & ~DTYPE_BIT(DTYPE_F64), true},
    {"7 bits", of_7_bits, DTYPE_BIT(DTYPE_BF16), true},
    {"10 bits", of_10_bits, DTYPE_BIT(DTYPE_F16), true},
    {"from above", from_above, DTYPES_FLOAT & ~DTYPE_BIT(DTYPE_F64), true},
    {"remainder", remainder_of_32_bits, DTYPE_BIT(DTYPE_I32) | DTYPE_BIT(DTYPE_I64), true},
    {"32 bits", of_32_bits, DTYPE_BIT(DTYPE_F64), false}, // the text gives 52
    {"16 bits", of_16_bits, DTYPE_BIT(DTYPE_F32), false}, // the text gives 23
    {"squared", squared, DTYPES_FLOAT | DTYPES_SIGNED, false},
    // A step of bf16's grid is wider than the bend.
    {"slightly bent", slightly_bent, DTYPES_FLOAT & ~DTYPE_BIT(DTYPE_BF16), false},
    {"slightly bent", slightly_bent, DTYPES_SIGNED, false},
    {"a gap", with_a_gap, DTYPE_BIT(DTYPE_F32), false},
    {"a wide gap", with_a_wide_gap, DTYPE_BIT(DTYPE_F16) | DTYPE_BIT(DTYPE_F32), false},
    {"upper half", upper_half_alone, DTYPES_FLOAT | DTYPES_SIGNED, false},
    {"twice each", twice_each, DTYPES_FLOAT | DTYPES_SIGNED, false},
    {"short period", short_period, DTYPES_FLOAT | DTYPES_SIGNED, false},
    {"steps", steps, DTYPES_FLOAT | DTYPES_SIGNED, false},
};

static const struct type {
    enum dtype dtype;
    double low, high;
} types[] = {{DTYPE_F16, -3.3, 8.9}, {DTYPE_BF16, -3.3, 8.9}, {DTYPE_F32, -3.3, 8.9},
             {DTYPE_F64, -3.3, 8.9}, {DTYPE_F32, 0, 1},       {DTYPE_BF16, 0, 1},
             {DTYPE_I32, -50, 1000}, {DTYPE_I64, -50, 1000},  {DTYPE_I32, 0, 3}};

static double round_to(enum dtype dtype, double value)
{
    return num_to_double(dtype, num_from_double(dtype, value));
}

static void make(const struct type *type, const struct way *way, uint32_t seed, void *data,
                 struct draws *draws)
{
    const bool real = dtype_kind(type->dtype) == DTYPE_KIND_FLOAT;
    *draws = (struct draws){.dtype = type->dtype,
                            .data = data,
                            .count = draws_wanted(type->dtype),
                            .low = real ? round_to(type->dtype, type->low) : type->low,
                            .high = real ? round_to(type->dtype, type->high) : type->high};
    for (uint64_t i = 0; i < draws->count; i++) {
        const double draw = way->make(seed, i, draws->low, draws->high);
        element_store(data, dtype_size(type->dtype), (size_t)i,
                      real ? num_from_double(type->dtype, draw) : (uint64_t)(int64_t)floor(draw));
    }
}

// The law of a few: 200 times as many draws as a case asks for, each time the next ones.
static void judge_few(const struct draws *draws, const char *name)
{
    static const uint64_t counts[] = {0, 1, 2, 9, 1000};
    for (unsigned i = 0; i < 200; i++) {
        char text[512] = "";
        struct diagnostic diagnostic = {.text = ""};
        struct draws few = *draws;
        bool right = false;
        few.count = counts[i % (sizeof counts / sizeof *counts)];
        few.data = (const char *)draws->data + (size_t)i * 1000 * dtype_size(draws->dtype);
        assert_int_equal(draws_judge(&few, 1e-12, &right, text, sizeof text, &diagnostic),
                         ERROR_NONE);
        if (!right)
            fail_msg("%s, %s, %u: %s", name, dtype_name(draws->dtype), i, text);
    }
}

static void uniform_draws_alone_are_not_accused(void **state)
{
    (void)state;
    const bool full = getenv("ASSAY_FULL");
    const unsigned seeds = full ? SEEDS_FULL : SEEDS;
    void *const data = malloc((size_t)draws_wanted(DTYPE_F16) * sizeof(double));
    size_t audits = 0, wrong = 0;
    assert_non_null(data);
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        for (size_t w = 0; w < sizeof ways / sizeof *ways; w++)
            for (uint32_t seed = 1; seed <= (ways[w].right ? seeds : 1); seed++) {
                char text[512] = "", range[512] = "";
                struct diagnostic diagnostic = {.text = ""};
                struct draws draws;
                bool flawed;
                if (!(ways[w].dtypes & DTYPE_BIT(types[t].dtype)) || (!full && (t + w) % QUICK))
                    continue;
                make(&types[t], &ways[w], seed, data, &draws);
                if (!draws_in_range(&draws, range, sizeof range))
                    fail_msg("%s, %s: %s", ways[w].name, dtype_name(types[t].dtype), range);
                assert_int_equal(draws_audit(&draws, &flawed, text, sizeof text, &diagnostic),
                                 ERROR_NONE);
                audits++;
                if (ways[w].right)
                    judge_few(&draws, ways[w].name);
                if (flawed != ways[w].right)
                    continue;
                wrong++;
                print_error("%s, %s of [%g, %g), seed %u: %s\n", ways[w].name,
                            dtype_name(types[t].dtype), types[t].low, types[t].high, (unsigned)seed,
                            text);
            }
    print_message("# %zu audits\n", audits);
    assert_int_equal(wrong, 0);
    free(data);
}

// Two streams; one and itself, a draw later; one and what is left of the range above it.
static void two_calls_are_independent(void **state)
{
    enum { COUNT = 1000, PAIRS = 3 };
    (void)state;
    for (unsigned pair = 0; pair < PAIRS; pair++) {
        double one[COUNT], other[COUNT];
        char text[256] = "";
        struct diagnostic diagnostic = {.text = ""};
        bool right = pair > 0;
        for (uint64_t i = 0; i < COUNT; i++) {
            one[i] = unit(5, i, 32);
            other[i] = pair == 0 ? unit(6, i, 32) : pair == 1 ? unit(5, i + 1, 32) : 1 - one[i];
        }
        const struct draws a = {.dtype = DTYPE_F64, .data = one, .count = COUNT, .high = 1},
                           b = {.dtype = DTYPE_F64, .data = other, .count = COUNT, .high = 1};
        assert_int_equal(draws_judge_two(&a, &b, 1e-12, &right, text, sizeof text, &diagnostic),
                         ERROR_NONE);
        if (right != (pair == 0))
            fail_msg("pair %u: %s", pair, text);
    }
}

static void draws_outside_of_their_range_are_named(void **state)
{
    (void)state;
    const float draws[] = {0, 0.5F, 1, 1.5F};
    const int32_t integers[] = {0, 2, 3};
    char text[256] = "";
    struct draws of = {.dtype = DTYPE_F32, .data = draws, .count = 3, .low = 0, .high = 1};
    assert_true(draws_in_range(&of, text, sizeof text));
    of.count = 4;
    assert_false(draws_in_range(&of, text, sizeof text));
    assert_string_equal(text, "element 3 is 1.5, not in [0, 1]");
    of = (struct draws){.dtype = DTYPE_I32, .data = integers, .count = 3, .low = 0, .high = 3};
    assert_false(draws_in_range(&of, text, sizeof text));
    assert_string_equal(text, "element 2 is 3, not in [0, 3)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(uniform_draws_alone_are_not_accused),
        cmocka_unit_test(two_calls_are_independent),
        cmocka_unit_test(draws_outside_of_their_range_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
