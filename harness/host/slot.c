// SPDX-License-Identifier: Apache-2.0
// Guarded memory in the worker. The table is the process's own: a worker serves one target, and its
// fault handler needs to see it.

#define _GNU_SOURCE
#include "harness/host/slot.h"

#include <sys/mman.h>
#include <unistd.h>

struct slot {
    unsigned char *base; // first accessible page; NULL: not mapped yet
    size_t bytes;
    volatile bool shut;
};

static struct slot slots[SLOT_COUNT_MAX];
static volatile uint32_t slot_count;

static bool map(struct slot *slot, const struct wire_place *place)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), guard = SLOT_GUARD_PAGES * page;
    const size_t bytes = place->pages * page;
    unsigned char *const reserved = mmap(NULL, bytes + 2 * guard, PROT_NONE,
                                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (reserved == MAP_FAILED)
        return false;
    const int protection = place->writable ? PROT_READ | PROT_WRITE : PROT_READ;
    void *const mapped = mmap(reserved + guard, bytes, protection, MAP_SHARED | MAP_FIXED,
                              WIRE_MEMORY, (off_t)place->file_offset);
    if (mapped == MAP_FAILED) {
        munmap(reserved, bytes + 2 * guard);
        return false;
    }
    slot->base = mapped;
    slot->bytes = bytes;
    return true;
}

unsigned char *slot_open(const struct wire_place *place)
{
    if (place->slot >= SLOT_COUNT_MAX)
        return NULL;
    struct slot *const slot = &slots[place->slot];
    if (slot->base) {
        if (slot->shut &&
            mprotect(slot->base, slot->bytes, place->writable ? PROT_READ | PROT_WRITE : PROT_READ))
            return NULL;
    } else if (!map(slot, place))
        return NULL;
    slot->shut = false;
    if (slot_count <= place->slot)
        slot_count = place->slot + 1;
    return slot->base;
}

void slot_shut(const struct wire_place *place)
{
    struct slot *const slot = &slots[place->slot];
    slot->shut = true;
    mprotect(slot->base, slot->bytes, PROT_NONE);
}

bool slot_find(uintptr_t address, uint32_t *slot, int64_t *offset, bool *retired)
{
    const size_t guard = SLOT_GUARD_PAGES * (size_t)sysconf(_SC_PAGESIZE);
    for (uint32_t i = 0; i < slot_count; i++) {
        const uintptr_t base = (uintptr_t)slots[i].base;
        if (!base || address < base - guard || address >= base + slots[i].bytes + guard)
            continue;
        *slot = i;
        *offset = (int64_t)(address - base);
        *retired = slots[i].shut;
        return true;
    }
    return false;
}
