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

static void conditions_under_which_a_case_fails_are_named(void **state)
{
    (void)state;
    const struct host_description description = {.feeds = {"parameter", "constant"}};
    struct host_conditions row[32];
    bool fails[32];
    uint64_t bits[32];
    char said[SURVEY_TEXT_SIZE];
    for (uint32_t i = 0; i < 32; i++) {
        row[i] = (struct host_conditions){.threads = i % 4,
                                          .feed = i / 4 % 2,
                                          .guard = i / 8 % 2 ? HOST_GUARD_START : HOST_GUARD_END,
                                          .poison = i / 16 ? HOST_POISON_B : HOST_POISON_A};
        fails[i] = row[i].threads == 2;
        bits[i] = fails[i];
    }
    survey_describe(&description, row, 32, fails, bits, said, sizeof said);
    assert_string_equal(
        said, "under 8 of 32 conditions: exactly with threads=2; its bits depend on threads alone");
    for (int i = 0; i < 32; i++)
        fails[i] = row[i].feed == 1 && row[i].guard == HOST_GUARD_START;
    survey_describe(&description, row, 32, fails, bits, said, sizeof said);
    assert_string_equal(
        said,
        "under 8 of 32 conditions: exactly with feed=constant and buffers flush at their start; "
        "its bits "
        "depend on threads alone");
    for (int i = 0; i < 32; i++) {
        fails[i] = row[i].threads != 0;
        bits[i] = 7;
    }
    survey_describe(&description, row, 32, fails, bits, said, sizeof said);
    assert_string_equal(
        said, "under 24 of 32 conditions: always but with the library's own number of threads");
    memset(fails, 1, sizeof fails);
    survey_describe(&description, row, 32, fails, bits, said, sizeof said);
    assert_string_equal(said, "under all 32 conditions");
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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
