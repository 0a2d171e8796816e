// SPDX-License-Identifier: Apache-2.0
// Enumeration tells right conversions from wrong ones, and the reference's laws hold.

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "ref/base/bytes.h"
#include "stats/conversions/enumerate.h"
#include "stats/conversions/laws.h"
#include "stats/conversions/laws_draws.h"

static void top_bits(const void *context, const uint32_t *word, size_t count, void *out)
{
    (void)context;
    for (size_t i = 0; i < count; i++) // 20-bit words to a grid of 2^-12
        ((float *)out)[i] = (float)(word[i] >> 8) * 0x1p-12f;
}

static void rounded(const void *context, const uint32_t *word, size_t count, void *out)
{
    (void)context;
    for (size_t i = 0; i < count; i++) // to the nearest grid point: 1 comes, 0 half as often
        ((float *)out)[i] = (float)((word[i] + 128) >> 8) * 0x1p-12f;
}

static void divided(const void *context, const uint32_t *word, size_t count, void *out)
{
    (void)context;
    for (size_t i = 0; i < count; i++) // by 2^20 - 1: off the grid, and 1 at the end
        ((float *)out)[i] = (float)word[i] / 1048575.0f;
}

static void remainder_of(const void *context, const uint32_t *word, size_t count, void *out)
{
    const uint32_t range = *(const uint32_t *)context;
    for (size_t i = 0; i < count; i++)
        ((int32_t *)out)[i] = (int32_t)(word[i] % range) - 3;
}

static void off_by_one(const void *context, const uint32_t *word, size_t count, void *out)
{
    remainder_of(context, word, count, out);
    for (size_t i = 0; i < count; i++)
        ((int32_t *)out)[i]++;
}

static void wrong_conversions_to_floats_are_told_from_right_ones(void **state)
{
    (void)state;
    struct enumeration e;
    struct diagnostic diagnostic;
    assert_int_equal(enumerate_unit(top_bits, NULL, DTYPE_F32, 20, 12, 2, &e, &diagnostic), 0);
    assert_true(enumeration_proves(&e));
    assert_int_equal(e.least, 256);
    assert_int_equal(e.most, 256);
    assert_int_equal(enumerate_unit(rounded, NULL, DTYPE_F32, 20, 12, 2, &e, &diagnostic), 0);
    assert_int_equal(e.outside, 128); // the words that round to 1
    assert_int_equal(e.uneven, 1);    // 0
    assert_int_equal(enumerate_unit(divided, NULL, DTYPE_F32, 20, 12, 2, &e, &diagnostic), 0);
    assert_true(e.outside > 1000000);
}

// All ranges of an 8-bit word: v below 256 mod range comes once more.
static void remainders_of_small_words_have_their_bias_exactly(void **state)
{
    (void)state;
    struct enumeration e;
    struct diagnostic diagnostic;
    for (uint32_t range = 1; range <= 256; range++) {
        assert_int_equal(
            enumerate_remainder(remainder_of, &range, -3, range, 8, 1, &e, &diagnostic), 0);
        assert_true(enumeration_proves(&e));
        assert_int_equal(e.least, 256 / range);
        assert_int_equal(e.most, 256 / range + (256 % range != 0));
        assert_int_equal(enumerate_remainder(off_by_one, &range, -3, range, 8, 1, &e, &diagnostic),
                         0);
        assert_false(enumeration_proves(&e));
    }
}

static uint64_t top_53_bits(const void *context, const uint32_t *word)
{
    (void)context;
    return double_bits((double)(((uint64_t)word[1] << 32 | word[0]) >> 11) * 0x1p-53);
}

static void two_words(const void *context, const uint32_t *word, size_t count, void *out)
{
    const int mistake = *(const int *)context;
    for (size_t i = 0; i < count; i++) {
        uint64_t x = (uint64_t)word[2 * i + 1] << 32 | word[2 * i];
        if (mistake == 1)
            x = x << 32 | x >> 32;
        if (mistake == 2)
            x &= ~(UINT64_C(1) << 11);
        if (mistake == 3 && x >> 41 == (UINT64_C(1) << 23) - 1)
            x = 0;
        ((double *)out)[i] = mistake == 4 ? (double)x * 0x1p-64 : (double)(x >> 11) * 0x1p-53;
    }
}

// The halves swapped, the lowest bit lost, the highest words lost, rounded instead of cut off: each
// is seen.
static void wrong_conversions_of_two_words_are_told_from_right_ones(void **state)
{
    (void)state;
    struct enumeration e;
    struct diagnostic diagnostic;
    for (int mistake = 0; mistake <= 4; mistake++) {
        assert_int_equal(enumerate_against(two_words, &mistake, DTYPE_F64, 2, 0, top_53_bits, NULL,
                                           2, &e, &diagnostic),
                         0);
        assert_int_equal(e.words, 4 * 16 * 65536);
        assert_int_equal(enumeration_proves(&e), mistake == 0);
    }
}

static uint64_t as_float(const void *context, const uint32_t *word)
{
    (void)context;
    return float_bits((float)word[0]);
}

static void to_float(const void *context, const uint32_t *word, size_t count, void *out)
{
    for (size_t i = 0; i < count; i++)
        ((float *)out)[i] = word[i] == *(const uint32_t *)context ? 0.0F : (float)word[i];
}

static void one_wrong_word_is_counted_as_one(void **state)
{
    (void)state;
    struct enumeration e;
    struct diagnostic diagnostic;
    const uint32_t wrong = 1234567, none = UINT32_MAX;
    assert_int_equal(
        enumerate_against(to_float, &wrong, DTYPE_F32, 1, 22, as_float, NULL, 2, &e, &diagnostic),
        0);
    assert_int_equal(e.uneven, 1);
    assert_int_equal(
        enumerate_against(to_float, &none, DTYPE_F32, 1, 22, as_float, NULL, 2, &e, &diagnostic),
        0);
    assert_true(enumeration_proves(&e));
}

// All pairs of two 8-bit draws for every span, combined as jax.random.randint's source combines
// them.
static void the_law_of_two_draws_is_that_of_all_pairs(void **state)
{
    (void)state;
    for (uint32_t span = 1; span <= 255; span++) {
        uint32_t count[256] = {0};
        double law[256], sum = 0;
        const uint8_t half = (uint8_t)(16 % span),
                      multiplier = (uint8_t)((uint8_t)(half * half) % span);
        for (unsigned high = 0; high < 256; high++)
            for (unsigned low = 0; low < 256; low++)
                count[(high % span * multiplier + low % span) % span]++;
        law_of_two_draws(8, span, law);
        for (uint32_t v = 0; v < span; v++) {
            sum += law[v];
            assert_true(fabs(law[v] * 65536 - count[v]) < 1e-9);
        }
        assert_true(fabs(sum - 1) < 1e-12);
    }
}

static void count_result(void *context, const struct law_result *result)
{
    unsigned *const seen = context;
    (*seen)++;
    if (!result->holds)
        fail_msg("%s: %s does not hold", result->operation, result->what);
}

static void the_laws_of_the_reference_hold(void **state)
{
    (void)state;
    unsigned broken = 1, seen = 0;
    struct diagnostic diagnostic;
    const enum error error = laws_check(0, 0, count_result, &seen, &broken, &diagnostic);
    if (error)
        fail_msg("%s", diagnostic.text);
    assert_int_equal(broken, 0);
    assert_true(seen >= 60);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_conversions_to_floats_are_told_from_right_ones),
        cmocka_unit_test(wrong_conversions_of_two_words_are_told_from_right_ones),
        cmocka_unit_test(one_wrong_word_is_counted_as_one),
        cmocka_unit_test(remainders_of_small_words_have_their_bias_exactly),
        cmocka_unit_test(the_law_of_two_draws_is_that_of_all_pairs),
        cmocka_unit_test(the_laws_of_the_reference_hold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
