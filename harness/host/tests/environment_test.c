// SPDX-License-Identifier: Apache-2.0
// What a call may not leave behind in its process is seen, also where the system tells less than
// usual.

#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "harness/host/environment.h"

enum { FILE_HIGH = 100 };

static struct environment before, after;
static char text[256];

static bool differs(bool again)
{
    text[0] = '\0';
    environment_take(&after, true);
    return environment_differs(&before, &after, again, text, sizeof text);
}

static void open_at(const char *path, int number)
{
    const int file = open(path, O_RDONLY);
    assert_true(file >= 0);
    assert_int_equal(dup2(file, number), number);
    close(file);
}

static void check_files(void)
{
    environment_take(&before, true);
    assert_false(differs(true));
    open_at("/dev/null", FILE_HIGH);
    assert_false(differs(true));
    environment_take(&before, true);
    open_at("/dev/zero", FILE_HIGH);
    assert_true(differs(false));
    assert_string_equal(text, "file descriptor 100 was replaced");
    environment_take(&before, true);
    close(FILE_HIGH);
    assert_true(differs(false));
    assert_string_equal(text, "file descriptor 100 was closed");
}

static void files_are_seen(void **state)
{
    (void)state;
    check_files();
}

// A process may hold more descriptors than it may open from now on, and then the system does not
// say at once which are open.
static void files_above_the_limit_are_seen(void **state)
{
    (void)state;
    struct rlimit limit, low;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    open_at("/dev/null", FILE_HIGH);
    low = (struct rlimit){.rlim_cur = 16, .rlim_max = limit.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &low), 0);
    environment_take(&before, true);
    assert_false(differs(true));
    close(FILE_HIGH);
    assert_true(differs(false));
    assert_string_equal(text, "file descriptor 100 was closed");
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

static void *wait_to_end(void *lock)
{
    pthread_mutex_lock(lock);
    pthread_mutex_unlock(lock);
    return NULL;
}

// A state stands where nothing but the caller can change it.
static void a_thread_and_a_child_may_change_the_state(void **state)
{
    (void)state;
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_t thread;
    environment_take(&before, false);
    assert_false(environment_stands(&before));
    environment_take(&before, true);
    assert_true(environment_stands(&before));
    const pid_t child = fork();
    if (child == 0)
        _exit(0);
    environment_take(&before, true);
    assert_false(environment_stands(&before));
    assert_int_equal(waitpid(child, NULL, 0), child);
    environment_take(&before, true);
    assert_true(environment_stands(&before));
    pthread_mutex_lock(&lock);
    assert_int_equal(pthread_create(&thread, NULL, wait_to_end, &lock), 0);
    assert_false(environment_stands(&before));
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
}

static void what_is_cheap_is_looked_at_again(void **state)
{
    (void)state;
    environment_take(&before, true);
    setenv("ASSAY_X", "1", 1);
    environment_take_from(&after, &before);
    assert_true(environment_differs(&before, &after, false, text, sizeof text));
    assert_string_equal(text, "the environment variables were changed");
    unsetenv("ASSAY_X");
    open_at("/dev/null", FILE_HIGH);
    environment_take(&before, true);
    environment_take_from(&after, &before);
    before = after;
    close(FILE_HIGH);
    assert_true(differs(false));
    assert_string_equal(text, "file descriptor 100 was closed");
}

static void modes_are_seen(void **state)
{
    (void)state;
    const mode_t mask = umask(0);
    umask(mask);
    environment_take(&before, true);
    umask(mask == 027 ? 022 : 027);
    assert_true(differs(false));
    assert_non_null(strstr(text, "the mode of new files was changed"));
    umask(mask);
}

static void every_byte_of_a_variable_counts(void **state)
{
    (void)state;
    static char variable[64];
    for (size_t length = 1; length < 40; length++) {
        memcpy(variable, "ASSAY_X=", 8);
        memset(variable + 8, 'a', length);
        variable[8 + length] = '\0';
        assert_int_equal(putenv(variable), 0);
        environment_take(&before, false);
        for (size_t i = 8; i < 8 + length; i++) {
            variable[i] = 'b';
            assert_true(differs(false));
            variable[i] = 'a';
        }
        assert_false(differs(false));
        variable[7 + length] = '\0'; // shorter
        assert_int_equal(differs(false), true);
        assert_string_equal(text, "the environment variables were changed");
    }
    unsetenv("ASSAY_X");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(files_are_seen),
                                       cmocka_unit_test(files_above_the_limit_are_seen),
                                       cmocka_unit_test(a_thread_and_a_child_may_change_the_state),
                                       cmocka_unit_test(what_is_cheap_is_looked_at_again),
                                       cmocka_unit_test(modes_are_seen),
                                       cmocka_unit_test(every_byte_of_a_variable_counts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
