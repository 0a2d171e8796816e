// SPDX-License-Identifier: Apache-2.0
// malloc_trim gives free memory back where nothing was said, and where a process has held more than
// was said; else the memory stays. Libraries that are loaded meet the same function.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "harness/host/sanitized.h"
#include "harness/host/trim.h"

enum { BLOCKS = 256, BYTES = 4000 };

static bool is_resident(const void *address)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    unsigned char there = 0;
    assert_int_equal(mincore((void *)((uintptr_t)address / page * page), page, &there), 0);
    return there & 1;
}

// Whether the middle of a hole in the heap is still there after malloc_trim.
static bool keeps_hole(uint64_t bytes)
{
    void *blocks[BLOCKS];
    for (int i = 0; i < BLOCKS; i++) {
        blocks[i] = malloc(BYTES);
        assert_non_null(blocks[i]);
        memset(blocks[i], 1, BYTES);
    }
    const uintptr_t middle = (uintptr_t)blocks[BLOCKS / 2];
    for (int i = 1; i < BLOCKS - 1; i++)
        free(blocks[i]);
    trim_keep(bytes);
    const int gave = malloc_trim(0);
    const bool kept = is_resident((const void *)middle);
    assert_int_equal(gave, !kept);
    trim_keep(0);
    free(blocks[0]);
    free(blocks[BLOCKS - 1]);
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
