// SPDX-License-Identifier: Apache-2.0
// What is left to the backlog is done in its order, each job once and let go once, whatever fails.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "harness/judge/run/backlog.h"

enum { PARTS = 3, JOBS = 50, FAILING = 20 };

// What jobs did, in their order: read by the test where the backlog waits or has ended.
static struct {
    unsigned done[JOBS * PARTS], count, released;
} log_of;

struct counted {
    struct backlog_job job;
    unsigned number, parts;
    bool fails;
};

static bool do_part(struct backlog_job *job, enum error *error, struct diagnostic *diagnostic)
{
    struct counted *const of = (struct counted *)job;
    if (of->fails)
        *error = diagnostic_fail(diagnostic, ERROR_SYSTEM, "job %u", of->number);
    else
        log_of.done[log_of.count++] = of->number;
    return ++of->parts < PARTS;
}

static void let_go(struct backlog_job *job)
{
    log_of.released++;
    free(job);
}

static enum error put(struct judge_backlog *backlog, unsigned number, size_t bytes, bool fails,
                      struct diagnostic *diagnostic)
{
    struct counted *const made = calloc(1, sizeof *made);
    assert_non_null(made);
    *made = (struct counted){.job = {.bytes = bytes, .work = do_part, .release = let_go},
                             .number = number,
                             .fails = fails};
    return backlog_put(backlog, &made->job, diagnostic);
}

static int start_anew(void **state)
{
    (void)state;
    log_of.count = log_of.released = 0;
    return 0;
}

static void jobs_are_done_in_their_order(void **state)
{
    (void)state;
    struct judge_backlog backlog = {.thread = NULL};
    struct diagnostic diagnostic;
    assert_int_equal(backlog_wait(&backlog, &diagnostic), ERROR_NONE);
    for (unsigned i = 0; i < JOBS; i++)
        assert_int_equal(put(&backlog, i, 1, false, &diagnostic), ERROR_NONE);
    assert_int_equal(backlog_wait(&backlog, &diagnostic), ERROR_NONE);
    assert_int_equal(log_of.count, JOBS * PARTS);
    for (unsigned i = 0; i < JOBS * PARTS; i++)
        assert_int_equal(log_of.done[i], i / PARTS);
    assert_int_equal(log_of.released, JOBS);
    backlog_release(&backlog);
}

// What is larger than all that may wait is done before the call returns.
static void more_than_may_wait_is_waited_for(void **state)
{
    (void)state;
    struct judge_backlog backlog = {.thread = NULL};
    struct diagnostic diagnostic;
    assert_int_equal(put(&backlog, 0, SIZE_MAX / 2, false, &diagnostic), ERROR_NONE);
    assert_int_equal(log_of.released, 1);
    backlog_release(&backlog);
}

static void nothing_is_done_after_an_error_and_all_is_let_go(void **state)
{
    (void)state;
    struct judge_backlog backlog = {.thread = NULL};
    struct diagnostic diagnostic;
    for (unsigned i = 0; i < JOBS; i++)
        put(&backlog, i, 1, i == FAILING, &diagnostic);
    assert_int_equal(backlog_wait(&backlog, &diagnostic), ERROR_SYSTEM);
    assert_string_equal(diagnostic.text, "job 20");
    assert_int_equal(log_of.count, FAILING * PARTS);
    backlog_release(&backlog);
    assert_int_equal(log_of.released, JOBS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(jobs_are_done_in_their_order, start_anew),
        cmocka_unit_test_setup(more_than_may_wait_is_waited_for, start_anew),
        cmocka_unit_test_setup(nothing_is_done_after_an_error_and_all_is_let_go, start_anew),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
