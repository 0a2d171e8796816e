// SPDX-License-Identifier: Apache-2.0
// malloc_trim gives free memory back where nothing was said, and where a process has held more than
// was said; else the memory stays. Libraries that are loaded meet the same function.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "harness/host/sanitized.h"
#include "harness/host/trim.h"
#include "harness/tests/zoo/hole.h"

static bool keeps_hole(uint64_t bytes)
{
    int gave = -1;
    trim_keep(bytes);
    const bool kept = hole_stays(&gave);
    trim_keep(0);
    assert_int_equal(gave, !kept);
    return kept;
}

static void memory_stays_up_to_what_was_said(void **state)
{
    (void)state;
    if (ASSAY_SANITIZED)
        skip();
    assert_true(keeps_hole(UINT64_MAX));
    assert_false(keeps_hole(0));
    assert_false(keeps_hole(1));
}

static void libraries_meet_it(void **state)
{
    (void)state;
    int (*const here)(size_t) = malloc_trim;
    void *const there = dlsym(RTLD_DEFAULT, "malloc_trim");
    assert_memory_equal(&here, &there, sizeof there);
    Dl_info library;
    assert_true(dladdr(there, &library));
    assert_null(strstr(library.dli_fname, "libc"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_stays_up_to_what_was_said),
        cmocka_unit_test(libraries_meet_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
