// SPDX-License-Identifier: Apache-2.0
// Splitting a range among threads: every element once, and errors that do not depend on who came
// first.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "ref/base/arena.h"
#include "ref/base/size.h"
#include "ref/base/threads.h"

enum { TOTAL = 10007 };

static enum error count_visits(void *context, uint64_t first, uint64_t count,
                               struct diagnostic *diagnostic)
{
    (void)diagnostic;
    for (uint64_t i = first; i < first + count; i++)
        ((unsigned char *)context)[i]++;
    return ERROR_NONE;
}

static void every_element_is_visited_once(void **state)
{
    (void)state;
    static const unsigned threads[] = {0, 1, 2, 3, 64};
    static const uint64_t grains[] = {0, 1, 7, 4096, 20000};
    for (size_t t = 0; t < 5; t++)
        for (size_t g = 0; g < 5; g++) {
            unsigned char visits[TOTAL] = {0}, once[TOTAL];
            memset(once, 1, sizeof once);
            assert_int_equal(threads_run(threads[t], TOTAL, grains[g], count_visits, visits, NULL),
                             ERROR_NONE);
            assert_memory_equal(visits, once, TOTAL);
        }
    assert_int_equal(threads_run(0, 0, 1, count_visits, NULL, NULL), ERROR_NONE);
}

static enum error fail_from_40(void *context, uint64_t first, uint64_t count,
                               struct diagnostic *diagnostic)
{
    (void)context;
    (void)count;
    return first >= 40 ? diagnostic_fail(diagnostic, ERROR_TOO_LARGE, "piece %d", (int)first)
                       : ERROR_NONE;
}

static void an_error_is_reported_with_its_text(void **state)
{
    (void)state;
    struct diagnostic diagnostic = {.text = ""};
    assert_int_equal(threads_run(1, 100, 10, fail_from_40, NULL, &diagnostic), ERROR_TOO_LARGE);
    assert_string_equal(diagnostic.text, "piece 40");
    assert_int_equal(threads_run(8, 100, 10, fail_from_40, NULL, &diagnostic), ERROR_TOO_LARGE);
}

static void an_arena_aligns_zeroes_and_keeps_its_limit(void **state)
{
    (void)state;
    struct arena arena = {.limit = 200000};
    for (size_t size = 0; size < 100; size++) {
        unsigned char *const at = arena_take(&arena, size);
        assert_non_null(at);
        assert_int_equal((uintptr_t)at % ARENA_ALIGNMENT, 0);
        for (size_t i = 0; i < size; i++)
            assert_int_equal(at[i], 0);
        memset(at, 0xff, size);
    }
    assert_null(arena_take(&arena, 200000));
    assert_null(arena_take_array(&arena, SIZE_MAX / 2, 4));
    assert_non_null(arena_take(&arena, 100000));
    arena_release(&arena);
    assert_int_equal(arena.used, 0);
}

static void sizes_do_not_wrap(void **state)
{
    (void)state;
    size_t result;
    assert_false(size_multiply(SIZE_MAX / 2 + 1, 2, &result));
    assert_false(size_add(SIZE_MAX, 1, &result));
    assert_false(size_round_up(SIZE_MAX - 1, 64, &result));
    assert_true(size_round_up(65, 64, &result));
    assert_int_equal(result, 128);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_element_is_visited_once),
        cmocka_unit_test(an_error_is_reported_with_its_text),
        cmocka_unit_test(an_arena_aligns_zeroes_and_keeps_its_limit),
        cmocka_unit_test(sizes_do_not_wrap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
