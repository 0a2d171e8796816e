// SPDX-License-Identifier: Apache-2.0
// Behaves well: asks at each call that freed memory be given back, as some libraries do with each
// instance. A worker keeps it, or every page would be faulted in again.

#define _GNU_SOURCE
#include <malloc.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "harness/tests/zoo/zoo.h"

static bool is_resident(const void *address)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    unsigned char there = 0;
    return !mincore((void *)((uintptr_t)address / page * page), page, &there) && (there & 1);
}

// The first and the last block stay until then, so that what lies between them is a hole.
static bool keeps_hole(void)
{
    enum { BLOCKS = 256, BYTES = 4000 };
    void *blocks[BLOCKS];
    for (int i = 0; i < BLOCKS; i++) {
        blocks[i] = malloc(BYTES);
        if (!blocks[i])
            return false;
        memset(blocks[i], 1, BYTES);
    }
    for (int i = 1; i < BLOCKS - 1; i++)
        free(blocks[i]);
    malloc_trim(0);
    const bool kept = is_resident(blocks[BLOCKS / 2]);
    free(blocks[0]);
    free(blocks[BLOCKS - 1]);
    return kept;
}

static enum assay_status run(const struct assay_request *request, struct assay_message *message)
{
    if (!keeps_hole())
        return assay_answer(message, ASSAY_FAILED, "malloc_trim took freed memory away");
    return zoo_compute(request, message);
}

static const struct zoo_plugin zoo_plugin = {.name = "trims", .run = run};
