// SPDX-License-Identifier: Apache-2.0
// Which of many values may come more than once: a sieve that leaves some tenth of them, so that few
// need be sorted.
//
// For repeats within one unit, none of which is lost; over whole audits
// stats/battery/repeats/duplicates.c keeps a sample instead, chosen by content. A table of four
// slots a value says for each slot whether it was met never, once, or more often (a Bloom filter
// with one hash, doi:10.1145/362686.362692, that counts to two). A value that is met twice is
// always kept; one that is not may be.

#ifndef ASSAY_STATS_KERNEL_REPEATS_H
#define ASSAY_STATS_KERNEL_REPEATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { REPEATS_SLOTS_A_BYTE = 4 };

// Slots for `count` values, a power of two: the table has a byte for each value.
static inline unsigned repeats_shift(size_t count)
{
    return 30u - (unsigned)__builtin_ctzll(count);
}

static inline uint32_t repeats_slot(uint32_t value, unsigned shift)
{
    return value * UINT32_C(0x9e3779b1) >> shift;
}

static inline void repeats_mark_slot(uint64_t slot, unsigned char *table)
{
    unsigned char *const at = &table[slot / REPEATS_SLOTS_A_BYTE];
    const unsigned place = slot % REPEATS_SLOTS_A_BYTE * 2, met = (unsigned)*at >> place & 1u;
    *at = (unsigned char)(*at | (1u | met << 1) << place);
}

// Whether the slot was marked twice.
static inline bool repeats_marked(uint64_t slot, const unsigned char *table)
{
    return table[slot / REPEATS_SLOTS_A_BYTE] >> (slot % REPEATS_SLOTS_A_BYTE * 2 + 1) & 1;
}

// Marks `count` values (a power of two up to 2^30) in the table of `count` bytes.
static inline void repeats_mark(const uint32_t *value, size_t count, unsigned char *table)
{
    const unsigned shift = repeats_shift(count);
    for (size_t i = 0; i < count; i++)
        repeats_mark_slot(repeats_slot(value[i], shift), table);
}

// Whether the value may have been marked twice.
static inline bool repeats_possible(uint32_t value, const unsigned char *table, unsigned shift)
{
    return repeats_marked(repeats_slot(value, shift), table);
}

// Moves those of `count` values (at most 2^30) that may come more than once to the front, in their
// order; returns how many. The table has a byte for each value, and no more than `count` are used.
static inline size_t repeats_sieve_u64(uint64_t *value, size_t count, unsigned char *table)
{
    const uint64_t factor = UINT64_C(0x9e3779b97f4a7c15);
    unsigned log2 = 0;
    while ((size_t)2 << log2 <= count)
        log2++;
    if (!count)
        return 0;
    const unsigned shift = 62 - log2; // four slots a byte
    memset(table, 0, (size_t)1 << log2);
    for (size_t i = 0; i < count; i++)
        repeats_mark_slot(value[i] * factor >> shift, table);
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        const uint64_t x = value[i];
        value[kept] = x;
        kept += repeats_marked(x * factor >> shift, table);
    }
    return kept;
}

#endif
