// SPDX-License-Identifier: Apache-2.0
// Patterns of wrong elements, each made by hand.

#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "harness/judge/compare/pattern.h"
#include "harness/judge/search/survey.h"

enum { COUNT = 60 };

static float right[COUNT], got[COUNT];
static const struct expected expected = {.dtype = DTYPE_F32, .bits = right};
static const struct tensor cube = {.dtype = DTYPE_F32, .rank = 3, .shape = {4, 3, 5}};
static char text[PATTERN_TEXT_SIZE];

static int start(void **state)
{
    (void)state;
    for (int i = 0; i < COUNT; i++)
        right[i] = got[i] = (float)(i * i) + 0.5f;
    return 0;
}

static const char *describe(const struct tensor *tensor, uint64_t count)
{
    return pattern_describe(&expected, tensor, NULL, got, count, text, sizeof text) ? text
                                                                                    : "nothing";
}

static void one_index_of_a_dimension_is_named(void **state)
{
    (void)state;
    for (int i = 0; i < COUNT; i++)
        got[i] += i / 15 == 3 ? (float)i : 0;
    assert_string_equal(describe(&cube, COUNT), "only the last index 0");
    start(NULL);
    for (int i = 0; i < COUNT; i++)
        got[i] += i / 5 % 3 == 1 ? (float)i + 1 : 0;
    assert_string_equal(describe(&cube, COUNT), "only index 1 1");
    start(NULL);
    for (int i = 0; i < COUNT; i++)
        got[i] += i % 5 >= 2 && i % 5 <= 3 ? (float)i + 1 : 0;
    assert_string_equal(describe(&cube, COUNT), "only index 2 2 to 3");
    start(NULL);
    const char *const axes[] = {"step", "row", "channel"};
    for (int i = 0; i < COUNT; i++)
        got[i] += i % 5 % 2 ? (float)i + 1 : 0;
    assert_true(pattern_describe(&expected, &cube, axes, got, COUNT, text, sizeof text));
    assert_string_equal(text, "only where channel is odd");
}

static void moved_elements_are_seen(void **state)
{
    (void)state;
    for (int i = 0; i + 3 < COUNT; i++)
        got[i] = right[i + 3];
    assert_string_equal(describe(&cube, COUNT),
                        "every element is the one expected 3 places further on");
    start(NULL);
    for (int i = 1; i < COUNT; i++)
        got[i] = right[i - 1];
    assert_non_null(
        strstr(describe(&cube, COUNT), "every element is the one expected 1 place before"));
}

static void a_last_group_is_seen(void **state)
{
    (void)state;
    const struct tensor list = {.dtype = DTYPE_F32, .rank = 1, .shape = {59}};
    for (int i = 48; i < 59; i++)
        got[i] = -1;
    assert_string_equal(describe(&list, 59),
                        "only the last, incomplete group of 16 (elements 48 to 58); "
                        "all wrong elements are the same");
    start(NULL);
    for (int i = 56; i < 59; i++)
        got[i] = 0;
    assert_string_equal(
        describe(&list, 59),
        "only the last, incomplete group of 8 (elements 56 to 58); every wrong element is 0");
}

static void a_last_group_is_not_alone_where_another_is_wrong(void **state)
{
    (void)state;
    const struct tensor list = {.dtype = DTYPE_F32, .rank = 1, .shape = {59}};
    for (int i = 56; i < 59; i++)
        got[i] = (float)-i;
    got[3] = 77;
    assert_string_equal(describe(&list, 59), "nothing");
}

static void odd_elements_and_signs_are_seen(void **state)
{
    (void)state;
    const struct tensor list = {.dtype = DTYPE_F32, .rank = 1, .shape = {COUNT}};
    for (int i = 1; i < COUNT; i += 2)
        got[i] = -got[i];
    assert_string_equal(describe(&list, COUNT),
                        "only odd elements; every wrong element has the other sign");
}

static void nothing_is_said_of_nothing(void **state)
{
    (void)state;
    assert_string_equal(describe(&cube, COUNT), "nothing");
    got[7] = 1;
    assert_string_equal(describe(&cube, COUNT), "nothing");
    got[8] = 2;
    got[31] = 3;
    got[46] = 4;
    got[0] = 5;
    got[59] = 6;
    assert_string_equal(describe(&cube, COUNT), "nothing");
}

// ---- conditions -------------------------------------------------------------

enum { ROWS = 32 };
static const struct host_description description = {.feeds = {"parameter", "constant"}};
static struct survey_row row[ROWS];
static char said[SURVEY_TEXT_SIZE];

static void start_rows(void)
{
    memset(row, 0, sizeof row);
    for (uint32_t i = 0; i < ROWS; i++)
        row[i].conditions =
            (struct host_conditions){.threads = i % 4,
                                     .feed = i / 4 % 2,
                                     .guard = i / 8 % 2 ? HOST_GUARD_START : HOST_GUARD_END,
                                     .poison = i / 16 ? HOST_POISON_B : HOST_POISON_A};
}

static void give(uint32_t i, uint64_t bits)
{
    for (int pass = 0; pass < SURVEY_PASSES; pass++)
        row[i].bits[pass] = bits;
}

static const char *survey_words(void)
{
    survey_describe(&description, row, ROWS, said, sizeof said);
    return said;
}

static void conditions_under_which_a_case_fails_are_named(void **state)
{
    (void)state;
    start_rows();
    for (uint32_t i = 0; i < ROWS; i++)
        row[i].fails = row[i].conditions.feed == 1 && row[i].conditions.guard == HOST_GUARD_START;
    assert_string_equal(survey_words(), "under 8 of 32 conditions: exactly with feed=constant and "
                                        "buffers flush at their start");
    for (uint32_t i = 0; i < ROWS; i++)
        row[i].fails = row[i].conditions.threads != 0;
    assert_string_equal(
        survey_words(),
        "under 24 of 32 conditions: always but with the library's own number of threads");
    for (uint32_t i = 0; i < ROWS; i++)
        row[i].fails = true;
    assert_string_equal(survey_words(), "under all 32 conditions");
}

static void conditions_on_which_bits_depend_are_named(void **state)
{
    (void)state;
    start_rows();
    for (uint32_t i = 0; i < ROWS; i++)
        give(i, row[i].conditions.threads % 2);
    assert_string_equal(survey_words(), "under 0 of 32 conditions; its bits depend on threads "
                                        "alone: own, 2 | 1, 3");
    for (uint32_t i = 0; i < ROWS; i++)
        give(i, row[i].conditions.guard);
    assert_string_equal(survey_words(), "under 0 of 32 conditions; its bits depend on which end of "
                                        "its buffers is flush alone");
    for (uint32_t i = 0; i < ROWS; i++)
        give(i, row[i].conditions.threads == 2 && row[i].conditions.feed &&
                    row[i].conditions.poison == HOST_POISON_B);
    assert_string_equal(survey_words(), "under 0 of 32 conditions; its bits depend on threads, the "
                                        "feed and what its outputs held");
    // A product of which a part is missing: no two rows differ in one condition alone.
    for (uint32_t i = 0; i < ROWS; i++)
        row[i].conditions = (struct host_conditions){.threads = i, .feed = i};
    assert_string_equal(survey_words(),
                        "under 0 of 32 conditions; its bits depend on no single condition");
}

static void equal_calls_with_other_bits_are_told_apart(void **state)
{
    (void)state;
    start_rows();
    for (uint32_t i = 0; i < ROWS; i++)
        row[i].bits[SURVEY_REVERSED] = 1;
    assert_string_equal(survey_words(), "under 0 of 32 conditions; equal calls gave other bits "
                                        "under 32 of 32 conditions, by what ran before");
    for (uint32_t i = 0; i < ROWS; i++)
        row[i].bits[SURVEY_REPEATED] = 2;
    assert_string_equal(survey_words(), "under 0 of 32 conditions; equal calls gave other bits "
                                        "under 32 of 32 conditions, by chance");
    for (uint32_t i = 0; i < ROWS; i++)
        if (row[i].conditions.threads < 2)
            give(i, 0);
    assert_string_equal(
        survey_words(),
        "under 0 of 32 conditions; equal calls gave other bits under 16 of 32 conditions, by "
        "chance; only with threads=2 or threads=3");
    // Eight rows of sixteen that lie so by chance would be one draw of 817.
    for (uint32_t i = 0; i < ROWS; i++)
        if (row[i].conditions.threads < 2 || row[i].conditions.poison == HOST_POISON_B)
            give(i, 0);
    assert_string_equal(survey_words(), "under 0 of 32 conditions; equal calls gave other bits "
                                        "under 8 of 32 conditions, by chance");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(one_index_of_a_dimension_is_named, start),
        cmocka_unit_test_setup(moved_elements_are_seen, start),
        cmocka_unit_test_setup(a_last_group_is_seen, start),
        cmocka_unit_test_setup(a_last_group_is_not_alone_where_another_is_wrong, start),
        cmocka_unit_test_setup(odd_elements_and_signs_are_seen, start),
        cmocka_unit_test_setup(nothing_is_said_of_nothing, start),
        cmocka_unit_test(conditions_under_which_a_case_fails_are_named),
        cmocka_unit_test(conditions_on_which_bits_depend_are_named),
        cmocka_unit_test(equal_calls_with_other_bits_are_told_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
