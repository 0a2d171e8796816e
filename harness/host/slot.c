// SPDX-License-Identifier: Apache-2.0
// Guarded memory in the worker. The table is the process's own: a worker serves one target, and its
// fault handler needs to see it.
//
// An address is used for one call, and for those that are made in its place. What was open becomes
// inaccessible for good: it costs no memory, the kernel joins it with the pages beside it, and 2^47
// bytes last for a billion calls.

#define _GNU_SOURCE
#include "harness/host/slot.h"

#include <assert.h>
#include <sys/mman.h>
#include <unistd.h>

enum { REGIONS = 24, FIRST_REGION = 1 << 30 };

// Address space that was reserved, each twice as much as the one before; addresses are handed out
// from the last.
struct region {
    uintptr_t start, used, end;
};

struct slot {
    unsigned char *base; // first accessible page; NULL: not open
    size_t bytes;
};

static struct region regions[REGIONS];
static volatile uint32_t region_count;
static uintptr_t next, call_start; // in the last region: what is handed out next, and what was
                                   // first for the call; 0: none of the last region
static struct slot slots[SLOT_COUNT_MAX];
static volatile uint32_t slot_count;

static size_t guard_bytes(void)
{
    return SLOT_GUARD_PAGES * (size_t)sysconf(_SC_PAGESIZE);
}

static void *reserve(void *at, size_t bytes)
{
    return mmap(at, bytes, PROT_NONE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | (at ? MAP_FIXED : 0), -1, 0);
}

// Addresses that were never used; 0 where the system has none left.
static uintptr_t take_addresses(size_t bytes)
{
    struct region *region = region_count ? &regions[region_count - 1] : NULL;
    if (!region || region->end - next < bytes) {
        size_t size = region ? 2 * (region->end - region->start) : FIRST_REGION;
        while (size < bytes)
            size *= 2;
        void *const reserved = region_count < REGIONS ? reserve(NULL, size) : MAP_FAILED;
        if (reserved == MAP_FAILED)
            return 0;
        region = &regions[region_count];
        *region =
            (struct region){(uintptr_t)reserved, (uintptr_t)reserved, (uintptr_t)reserved + size};
        region_count = region_count + 1;
        next = region->start;
        call_start = 0;
    }
    const uintptr_t at = next;
    next += bytes;
    if (region->used < next)
        region->used = next;
    return at;
}

void slot_begin(bool in_place)
{
    if (!region_count)
        return;
    next = in_place && call_start ? call_start : regions[region_count - 1].used;
    call_start = next;
}

unsigned char *slot_open(const struct wire_place *place)
{
    const size_t bytes = place->pages * (size_t)sysconf(_SC_PAGESIZE), guard = guard_bytes();
    if (place->slot >= SLOT_COUNT_MAX || slots[place->slot].base)
        return NULL;
    const uintptr_t at = take_addresses(bytes + 2 * guard);
    if (!at)
        return NULL;
    const int protection = place->writable ? PROT_READ | PROT_WRITE : PROT_READ;
    void *const mapped =
        mmap((void *)(at + guard), bytes, protection, MAP_SHARED | MAP_FIXED | MAP_POPULATE,
             WIRE_MEMORY, (off_t)place->file_offset);
    if (mapped == MAP_FAILED)
        return NULL;
    slots[place->slot] = (struct slot){.base = mapped, .bytes = bytes};
    if (slot_count <= place->slot)
        slot_count = place->slot + 1;
    return mapped;
}

unsigned char *slot_base(const struct wire_place *place)
{
    assert(place->slot < SLOT_COUNT_MAX);
    return slots[place->slot].base;
}

// Slots that were opened one after the other lie so, too: one call of the system shuts them.
void slot_shut(const struct wire_place *places, size_t count)
{
    const size_t between = 2 * guard_bytes();
    unsigned char *start = NULL, *end = NULL;
    for (size_t i = 0; i < count; i++) {
        struct slot *const slot = &slots[places[i].slot];
        if (!slot->base)
            continue;
        if (start && slot->base != end + between) {
            reserve(start, (size_t)(end - start));
            start = NULL;
        }
        start = start ? start : slot->base;
        end = slot->base + slot->bytes;
        slot->base = NULL;
    }
    if (start)
        reserve(start, (size_t)(end - start));
}

bool slot_find(uintptr_t address, uint32_t *slot, int64_t *offset)
{
    const size_t guard = guard_bytes();
    for (uint32_t i = 0; i < slot_count; i++) {
        const uintptr_t base = (uintptr_t)slots[i].base;
        if (!base || address < base - guard || address >= base + slots[i].bytes + guard)
            continue;
        *slot = i;
        *offset = (int64_t)(address - base);
        return true;
    }
    *slot = SLOT_COUNT_MAX;
    *offset = 0;
    for (uint32_t i = 0; i < region_count; i++)
        if (address >= regions[i].start && address < regions[i].used)
            return true;
    return false;
}
