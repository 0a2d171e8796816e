// SPDX-License-Identifier: Apache-2.0
// The dynamic linker finds a program's functions before those of the C library, for the libraries
// of a target too.

#define _GNU_SOURCE
#include "harness/host/trim.h"

#include <dlfcn.h>
#include <malloc.h>
#include <string.h>
#include <sys/resource.h>

static uint64_t kept;

void trim_keep(uint64_t bytes)
{
    kept = bytes;
}

#ifdef __GLIBC__
int malloc_trim(size_t pad)
{
    struct rusage used = {.ru_maxrss = 0};
    if (kept && !getrusage(RUSAGE_SELF, &used) && (uint64_t)used.ru_maxrss << 10 <= kept)
        return 0;
    int (*trim)(size_t) = NULL;
    void *const symbol = dlsym(RTLD_NEXT, "malloc_trim");
    memcpy(&trim, &symbol, sizeof trim);
    return trim ? trim(pad) : 0;
}
#endif
