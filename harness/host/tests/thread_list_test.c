// SPDX-License-Identifier: Apache-2.0
// A process is at rest only if none of its threads goes on by itself, nor has since the last look.

#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "harness/host/thread_list.h"

static void on_signal(int number)
{
    (void)number;
}

static void rest(void)
{
    for (;;)
        syscall(SYS_rt_sigsuspend, (uint64_t[]){0}, sizeof(uint64_t), 0, 0, 0, 0);
}

static void sleep_for_long(void)
{
    for (;;)
        sleep(1000);
}

// A child whose own thread rests until its child ends: an uninterruptible sleep, as of one that
// waits for a lock of the system.
static void wait_uninterruptibly(void)
{
    if (!syscall(SYS_vfork)) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        rest();
    }
    rest();
}

struct child {
    pid_t id;
    char name[24];
    uint64_t seen;
};

static void wait_a_little(void)
{
    usleep(2000);
}

static struct child start(void (*live)(void))
{
    struct child child = {.id = fork()};
    assert_true(child.id >= 0);
    if (!child.id) {
        const struct sigaction action = {.sa_handler = on_signal};
        if (prctl(PR_SET_PDEATHSIG, SIGKILL) || sigaction(SIGUSR1, &action, NULL))
            _exit(1);
        setpgid(0, 0);
        live();
    }
    setpgid(child.id, child.id);
    snprintf(child.name, sizeof child.name, "%ld", (long)child.id);
    return child;
}

static void end(const struct child *child)
{
    kill(-child->id, SIGKILL);
    assert_int_equal(waitpid(child->id, NULL, 0), child->id);
}

static bool is_at_rest(struct child *child)
{
    wait_a_little();
    return thread_list_at_rest(child->name, &child->seen);
}

static void wait_for_rest(struct child *child)
{
    for (int i = 0; i < 10000 && !is_at_rest(child); i++) {}
    assert_true(is_at_rest(child));
}

static void one_look_is_not_enough(void **state)
{
    (void)state;
    struct child child = start(rest);
    wait_for_rest(&child);
    child.seen = 0;
    assert_false(is_at_rest(&child));
    assert_true(is_at_rest(&child));
    end(&child);
}

// Found asleep in the same call, but in between it was awake.
static void one_that_ran_in_between_is_not_at_rest(void **state)
{
    (void)state;
    struct child child = start(rest);
    wait_for_rest(&child);
    kill(child.id, SIGUSR1);
    usleep(200000);
    if (access("/proc/self/schedstat", R_OK) == 0)
        assert_false(is_at_rest(&child));
    wait_for_rest(&child);
    end(&child);
}

static void a_limited_sleep_is_no_rest(void **state)
{
    (void)state;
    struct child child = start(sleep_for_long);
    for (int i = 0; i < 50; i++)
        assert_false(is_at_rest(&child));
    end(&child);
}

static void who_waits_for_the_system_is_not_at_rest(void **state)
{
    (void)state;
    struct child child = start(wait_uninterruptibly);
    for (int i = 0; i < 50; i++)
        assert_false(is_at_rest(&child));
    end(&child);
}

static void what_has_ended_is_at_rest(void **state)
{
    (void)state;
    struct child child = start(rest);
    end(&child);
    is_at_rest(&child);
    assert_true(is_at_rest(&child));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_look_is_not_enough),
        cmocka_unit_test(one_that_ran_in_between_is_not_at_rest),
        cmocka_unit_test(a_limited_sleep_is_no_rest),
        cmocka_unit_test(who_waits_for_the_system_is_not_at_rest),
        cmocka_unit_test(what_has_ended_is_at_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
