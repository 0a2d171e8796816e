// SPDX-License-Identifier: Apache-2.0
// A hole in the heap: free memory between blocks that are in use.

#ifndef ASSAY_HARNESS_ZOO_HOLE_H
#define ASSAY_HARNESS_ZOO_HOLE_H

#include <malloc.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

// Makes a hole of 254 blocks and calls malloc_trim: whether the middle of the hole is still
// resident. `gave`: what malloc_trim returned. False where memory is lacking.
static inline bool hole_stays(int *gave)
{
    enum { BLOCKS = 256, BYTES = 4000 };
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    void *blocks[BLOCKS];
    for (int i = 0; i < BLOCKS; i++) {
        blocks[i] = malloc(BYTES);
        if (!blocks[i])
            return false;
        memset(blocks[i], 1, BYTES);
    }
    const uintptr_t middle = (uintptr_t)blocks[BLOCKS / 2] / page * page;
    for (int i = 1; i < BLOCKS - 1; i++)
        free(blocks[i]);
    *gave = malloc_trim(0);
    unsigned char there = 0;
    const bool stays = !mincore((void *)middle, page, &there) && (there & 1);
    free(blocks[0]);
    free(blocks[BLOCKS - 1]);
    return stays;
}

#endif
