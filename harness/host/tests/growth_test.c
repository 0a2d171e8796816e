// SPDX-License-Identifier: Apache-2.0
// What every repeated call takes and keeps is proven; what one call takes, and threads that are
// about to be gone, are not.

#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "harness/host/environment.h"

enum { BLOCK = 1 << 14 };

static pthread_barrier_t barrier;
static pthread_t threads[ENVIRONMENT_REPEATS];
static void *blocks[ENVIRONMENT_REPEATS];
static int files[ENVIRONMENT_REPEATS];

static void *wait_for_it(void *context)
{
    pthread_barrier_wait(&barrier);
    return context;
}

static void keep_thread(unsigned call)
{
    assert_int_equal(pthread_create(&threads[call], NULL, wait_for_it, NULL), 0);
}

static void keep_file(unsigned call)
{
    files[call] = open("/dev/null", O_RDONLY | O_CLOEXEC);
    assert_true(files[call] >= 0);
}

static void keep_memory(unsigned call)
{
    blocks[call] = malloc(BLOCK);
    assert_non_null(blocks[call]);
}

// Whether so many calls that each keep something prove it, which may only be so after the last of
// ENVIRONMENT_REPEATS.
static void check(void (*keep)(unsigned call), const char *words)
{
    struct environment_growth growth = {0};
    char text[256] = "";
    for (unsigned call = 0; call < ENVIRONMENT_REPEATS; call++) {
        assert_false(environment_growth_proven(&growth, text, sizeof text));
        environment_growth_start(&growth);
        keep(call);
        assert_true(environment_growth_end(&growth));
    }
    assert_true(environment_growth_proven(&growth, text, sizeof text));
    assert_string_equal(text, words);
    environment_growth_start(&growth);
    assert_false(environment_growth_end(&growth)); // a call that keeps nothing breaks the row
    assert_false(environment_growth_proven(&growth, text, sizeof text));
}

static void threads_are_seen(void **state)
{
    (void)state;
    pthread_barrier_init(&barrier, NULL, ENVIRONMENT_REPEATS + 1);
    check(keep_thread, "a thread was left running at each of 16 repeated calls");
    pthread_barrier_wait(&barrier);
    for (unsigned i = 0; i < ENVIRONMENT_REPEATS; i++)
        pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&barrier);
}

static void files_are_seen(void **state)
{
    (void)state;
    check(keep_file, "a file was left open at each of 16 repeated calls");
    for (unsigned i = 0; i < ENVIRONMENT_REPEATS; i++)
        close(files[i]);
}

static void memory_is_seen(void **state)
{
    (void)state;
    check(keep_memory, "memory was kept: 16.0 KiB at each of 16 repeated calls");
    for (unsigned i = 0; i < ENVIRONMENT_REPEATS; i++)
        free(blocks[i]);
}

static void *do_nothing(void *context)
{
    return context;
}

// The system wakes the one that joins a thread before it takes the thread off its list: of these
// many joins some are too early.
static void joined_threads_do_not_count(void **state)
{
    (void)state;
    enum { CALLS = 5000 };
    for (unsigned call = 0; call < CALLS; call++) {
        struct environment_growth growth = {0};
        pthread_t thread;
        environment_growth_start(&growth);
        assert_int_equal(pthread_create(&thread, NULL, do_nothing, NULL), 0);
        pthread_join(thread, NULL);
        environment_growth_end(&growth);
        assert_int_equal(growth.thread_calls, 0);
    }
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static unsigned done, gone;

static void say(unsigned *what)
{
    pthread_mutex_lock(&mutex);
    (*what)++;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&mutex);
}

static void wait_until(const unsigned *what, unsigned count)
{
    pthread_mutex_lock(&mutex);
    while (*what < count)
        pthread_cond_wait(&changed, &mutex);
    pthread_mutex_unlock(&mutex);
}

static void *work_and_leave(void *context)
{
    say(&done);
    wait_until(&gone, *(const unsigned *)context);
    return NULL;
}

// Each call ends while its thread has yet to leave, and each thread has left when the next call
// begins.
static void threads_that_leave_late_prove_nothing(void **state)
{
    (void)state;
    struct environment_growth growth = {0};
    char text[256] = "";
    for (unsigned call = 1; call <= 2 * ENVIRONMENT_REPEATS; call++) {
        pthread_t thread;
        environment_growth_start(&growth);
        assert_int_equal(pthread_create(&thread, NULL, work_and_leave, &call), 0);
        wait_until(&done, call);
        environment_growth_end(&growth);
        assert_true(growth.thread_calls <= 1);
        assert_false(environment_growth_proven(&growth, text, sizeof text));
        say(&gone);
        pthread_join(thread, NULL);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_are_seen), cmocka_unit_test(files_are_seen),
        cmocka_unit_test(memory_is_seen), cmocka_unit_test(joined_threads_do_not_count),
        cmocka_unit_test(threads_that_leave_late_prove_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
