// SPDX-License-Identifier: Apache-2.0
// Least-significant-digit radix sort: digits of 11 bits from 4,096 keys, of 8 bits below; digits that are equal in all keys
// are skipped.

#include "stats/sort.h"

#include <string.h>

enum { DIGIT_MAX = 11, MANY = 4096 };

void sort_u64(uint64_t *key, uint64_t *spare, size_t count, unsigned bits)
{
    if (count < 2)
        return;
    const unsigned digit = count >= MANY ? DIGIT_MAX : 8;
    uint64_t *from = key, *to = spare;
    for (unsigned shift = 0; shift < bits; shift += digit) {
        uint32_t start[1u << DIGIT_MAX] = {0};
        const uint64_t mask = (UINT64_C(1) << digit) - 1;
        for (size_t i = 0; i < count; i++)
            start[from[i] >> shift & mask]++;
        if (start[from[0] >> shift & mask] == count)
            continue;
        uint32_t sum = 0;
        for (size_t d = 0; d <= mask; d++) {
            const uint32_t n = start[d];
            start[d] = sum;
            sum += n;
        }
        for (size_t i = 0; i < count; i++)
            to[start[from[i] >> shift & mask]++] = from[i];
        uint64_t *const swap = from;
        from = to;
        to = swap;
    }
    if (from != key)
        memcpy(key, from, count * sizeof *key);
}

void sort_u32(uint32_t *key, uint32_t *spare, size_t count)
{
    if (count < 2)
        return;
    const unsigned digit = count >= MANY ? DIGIT_MAX : 8, digits = (32 + digit - 1) / digit;
    const uint32_t mask = (1u << digit) - 1;
    uint32_t start[4][1u << DIGIT_MAX];
    memset(start, 0, sizeof start);
    for (size_t i = 0; i < count; i++)
        for (unsigned d = 0; d < digits; d++)
            start[d][key[i] >> (d * digit) & mask]++;
    uint32_t *from = key, *to = spare;
    for (unsigned d = 0; d < digits; d++) {
        uint32_t *const at = start[d];
        const unsigned shift = d * digit;
        if (at[from[0] >> shift & mask] == count)
            continue;
        uint32_t sum = 0;
        for (size_t v = 0; v <= mask; v++) {
            const uint32_t n = at[v];
            at[v] = sum;
            sum += n;
        }
        for (size_t i = 0; i < count; i++)
            to[at[from[i] >> shift & mask]++] = from[i];
        uint32_t *const swap = from;
        from = to;
        to = swap;
    }
    if (from != key)
        memcpy(key, from, count * sizeof *key);
}

uint64_t sorted_repeats_u64(const uint64_t *key, size_t count)
{
    uint64_t repeats = 0;
    for (size_t i = 1; i < count; i++)
        repeats += key[i] == key[i - 1];
    return repeats;
}

uint64_t sorted_repeats_u32(const uint32_t *key, size_t count)
{
    uint64_t repeats = 0;
    for (size_t i = 1; i < count; i++)
        repeats += key[i] == key[i - 1];
    return repeats;
}
