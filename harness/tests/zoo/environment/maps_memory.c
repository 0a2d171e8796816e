// SPDX-License-Identifier: Apache-2.0
// Maps a page at each call and keeps it, past the C library's allocator.

#define _GNU_SOURCE
#include <sys/mman.h>

#include "harness/tests/zoo/zoo.h"

static bool misbehave(void)
{
    enum { BYTES = 4096 };
    return mmap(NULL, BYTES, PROT_READ, MAP_SHARED | MAP_ANONYMOUS, -1, 0) != MAP_FAILED;
}

static const struct zoo_plugin zoo_plugin = {.name = "maps_memory", .before = misbehave};
