// SPDX-License-Identifier: Apache-2.0
// What a call may not leave behind in its process is seen, also where the system tells less than
// usual.

#define _GNU_SOURCE
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_are_seen), cmocka_unit_test(files_above_the_limit_are_seen),
        cmocka_unit_test(modes_are_seen), cmocka_unit_test(every_byte_of_a_variable_counts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
