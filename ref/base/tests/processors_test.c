// SPDX-License-Identifier: Apache-2.0
// Affinity as taskset(1) sets it; control groups as files of a tree of our own, in the forms that
// the kernel documents.

#define _GNU_SOURCE // sched_setaffinity

#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "ref/base/processors.h"
#include "ref/base/threads.h"

static char root[] = "/tmp/assay-processors-XXXXXX";

static int make_tree(void **state)
{
    (void)state;
    char command[256];
    if (!mkdtemp(root))
        return -1;
    snprintf(command, sizeof command, "mkdir -p %s/proc/self %s/cg/a/b/c", root, root);
    return system(command);
}

static int remove_tree(void **state)
{
    (void)state;
    char command[256];
    snprintf(command, sizeof command, "rm -rf %s", root);
    return system(command);
}

static void put(const char *path, const char *text)
{
    char whole[256];
    snprintf(whole, sizeof whole, "%s/%s", root, path);
    if (!text) {
        remove(whole);
        return;
    }
    FILE *const file = fopen(whole, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void the_tightest_group_above_decides(void **state)
{
    (void)state;
    put("proc/self/cgroup", "4:memory:/x\n0::/a/b/c\n");
    put("proc/self/mountinfo", "31 23 0:28 / /sys rw shared:1 - tmpfs tmpfs rw\n"
                               "41 31 0:38 / /cg rw,relatime - cgroup2 cgroup2 rw\n");
    assert_int_equal(processors_quota(root), 0); // no cpu.max at all
    put("cg/a/b/c/cpu.max", "max 100000\n");
    assert_int_equal(processors_quota(root), 0);
    put("cg/a/b/c/cpu.max", "800000 100000\n");
    assert_int_equal(processors_quota(root), 8);
    put("cg/a/cpu.max", "250000 100000\n"); // two and a half
    assert_int_equal(processors_quota(root), 3);
    put("cg/a/b/cpu.max", "1000 100000\n");
    assert_int_equal(processors_quota(root), 1);
    put("cg/a/b/cpu.max", "max 100000\n");
    put("cg/a/b/c/cpu.max", "100000 100000\n");
    assert_int_equal(processors_quota(root), 1);
}

static void a_mount_may_show_a_part_of_the_tree(void **state)
{
    (void)state;
    put("proc/self/cgroup", "0::/box/a/b\n");
    put("proc/self/mountinfo",
        "41 31 0:38 /box /cg rw,relatime master:5 shared:7 - cgroup2 cgroup2 rw\n");
    put("cg/a/cpu.max", NULL);
    put("cg/a/b/cpu.max", "400000 100000\n");
    assert_int_equal(processors_quota(root), 4);
}

static void a_group_that_cannot_be_found_sets_no_quota(void **state)
{
    (void)state;
    put("proc/self/cgroup", "0::/a/b\n");
    put("proc/self/mountinfo", "36 31 0:33 / /cg rw - cgroup cgroup rw,cpu\n");
    assert_int_equal(processors_quota(root), 0);
    put("proc/self/mountinfo", NULL);
    assert_int_equal(processors_quota(root), 0);
    put("proc/self/cgroup", "1:cpu:/\n");
    assert_int_equal(processors_quota(root), 0);
}

static void the_affinity_mask_is_kept(void **state)
{
    (void)state;
    cpu_set_t before, one;
    unsetenv("ASSAY_THREADS");
    assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
    assert_in_range(threads_available(), 1, (uintmax_t)CPU_COUNT(&before));
    CPU_ZERO(&one);
    for (size_t cpu = 0; !CPU_COUNT(&one); cpu++)
        if (CPU_ISSET(cpu, &before))
            CPU_SET(cpu, &one);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    assert_int_equal(threads_available(), 1);
    assert_int_equal(sched_setaffinity(0, sizeof before, &before), 0);
    setenv("ASSAY_THREADS", "7", 1); // whoever asks for more gets it
    assert_int_equal(threads_available(), 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_tightest_group_above_decides),
        cmocka_unit_test(a_mount_may_show_a_part_of_the_tree),
        cmocka_unit_test(a_group_that_cannot_be_found_sets_no_quota),
        cmocka_unit_test(the_affinity_mask_is_kept),
    };
    return cmocka_run_group_tests(tests, make_tree, remove_tree);
}
