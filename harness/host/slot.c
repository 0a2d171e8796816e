// SPDX-License-Identifier: Apache-2.0
// Guarded memory in the worker. The table is the process's own: a worker serves one target, and its
// fault handler needs to see it.
//
// An address is used for one call, and for those that are made in its place. Once unmapped, an
// address is not used again. Addresses are not reserved, which would make each mapping slower: they
// lie in the middle of the address space, where neither the program nor what the kernel places by
// itself is, and a mapping never replaces another.

#define _GNU_SOURCE
#include "harness/host/slot.h"

#include <assert.h>
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

enum { REGIONS = 24, REGIONS_OF_ALL = 64 };

// A part of the address space; addresses are handed out from the last.
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

// One part of 64 after the other, from the middle on; the stack is near the end of all. False where
// none is left.
static bool find_region(size_t bytes)
{
    const char here = 0;
    const uintptr_t size = ((uintptr_t)&here / REGIONS_OF_ALL) & ~(uintptr_t)((1 << 30) - 1);
    if (region_count == REGIONS || size < bytes)
        return false;
    const uintptr_t start =
        region_count ? regions[region_count - 1].end : size * (REGIONS_OF_ALL / 2);
    regions[region_count] = (struct region){start, start, start + size};
    region_count = region_count + 1;
    next = start;
    call_start = 0;
    return true;
}

// Addresses that were never used; 0 where the system has none left.
static uintptr_t take_addresses(size_t bytes)
{
    const struct region *const last = region_count ? &regions[region_count - 1] : NULL;
    if ((!last || last->end - next < bytes) && !find_region(bytes))
        return 0;
    struct region *const region = &regions[region_count - 1];
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
    const int protection = place->writable ? PROT_READ | PROT_WRITE : PROT_READ;
    void *mapped = MAP_FAILED;
    while (mapped == MAP_FAILED) {
        const uintptr_t at = take_addresses(bytes + 2 * guard);
        if (!at)
            return NULL;
        mapped = mmap((void *)(at + guard), bytes, protection,
                      MAP_SHARED | MAP_FIXED_NOREPLACE | MAP_POPULATE, WIRE_MEMORY,
                      (off_t)place->file_offset);
        if (mapped == MAP_FAILED && (errno != EEXIST || !find_region(bytes + 2 * guard)))
            return NULL; // EEXIST: another mapping has come here
    }
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

// Slots that were opened one after the other lie so, too, upwards or downwards: one call of the
// system shuts them.
void slot_shut(const struct wire_place *places, size_t count)
{
    const size_t between = 2 * guard_bytes();
    unsigned char *start = NULL, *end = NULL;
    for (size_t i = 0; i < count; i++) {
        struct slot *const slot = &slots[places[i].slot];
        unsigned char *const base = slot->base;
        if (!base)
            continue;
        const bool above = start && base == end + between,
                   below = start && base + slot->bytes + between == start;
        if (start && !above && !below)
            munmap(start, (size_t)(end - start));
        start = above ? start : base;
        end = below ? end : base + slot->bytes;
        slot->base = NULL;
    }
    if (start)
        munmap(start, (size_t)(end - start));
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
