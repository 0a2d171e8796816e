// SPDX-License-Identifier: Apache-2.0
// Which of many values may come more than once: a sieve that leaves a twentieth of them, so that
// few need be sorted.
//
// For repeats within one unit, none of which is lost; over whole audits
// stats/battery/repeats/duplicates.c keeps a sample instead, chosen by content. A table of four
// slots a value says for each slot whether it was met never, once, or more often (a Bloom filter
// with one hash, doi:10.1145/362686.362692, that counts to two). A value that is met twice is
// always kept; one that is not may be. What one hash leaves goes through a second.

#ifndef ASSAY_STATS_KERNEL_REPEATS_H
#define ASSAY_STATS_KERNEL_REPEATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { REPEATS_SLOTS_A_BYTE = 4 };

// The slot of a value: the highest bits of its product with an odd number.
static const uint64_t repeats_factor[] = {UINT64_C(0x9e3779b97f4a7c15),
                                          UINT64_C(0xd6e8feb86659fd93)};

// By how much products are shifted for a table of `bytes`, a power of two.
static inline unsigned repeats_shift(size_t bytes)
{
    return 62u - (unsigned)__builtin_ctzll(bytes);
}

static inline void repeats_mark(uint64_t slot, unsigned char *table)
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

// The least power of two that is not below `count`.
static inline size_t repeats_table_bytes(size_t count)
{
    size_t bytes = 1;
    while (bytes < count)
        bytes *= 2;
    return bytes;
}

// Moves those of `count` values (at most 2^30) that may come more than once to the front, in their
// order; returns how many. The table has room for repeats_table_bytes. _low: values are equal when
// their low 32 bits are.
#define REPEATS_SIEVE(name, type, key)                                                             \
    static inline size_t name(type *value, size_t count, unsigned char *table)                     \
    {                                                                                              \
        for (unsigned round = 0; round < 2 && count; round++) {                                    \
            const uint64_t factor = repeats_factor[round];                                         \
            const size_t bytes = repeats_table_bytes(count);                                       \
            const unsigned shift = repeats_shift(bytes);                                           \
            memset(table, 0, bytes);                                                               \
            for (size_t i = 0; i < count; i++)                                                     \
                repeats_mark((key)value[i] * factor >> shift, table);                              \
            size_t kept = 0;                                                                       \
            for (size_t i = 0; i < count; i++) {                                                   \
                const type x = value[i];                                                           \
                value[kept] = x;                                                                   \
                kept += repeats_marked((key)x * factor >> shift, table);                           \
            }                                                                                      \
            count = kept;                                                                          \
        }                                                                                          \
        return count;                                                                              \
    }
REPEATS_SIEVE(repeats_sieve_u32, uint32_t, uint32_t)
REPEATS_SIEVE(repeats_sieve_u64, uint64_t, uint64_t)
REPEATS_SIEVE(repeats_sieve_low, uint64_t, uint32_t)

#endif
