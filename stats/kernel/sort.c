// SPDX-License-Identifier: Apache-2.0
// Least-significant-digit radix sort: digits of 11 bits from 4,096 keys, of 8 bits below; digits
// that are equal in all keys are skipped. Many keys that are spread evenly go by their highest byte
// first: pieces stay in the first cache, two bytes more set almost all of a piece right, and
// insertion the rest.

#include "stats/kernel/sort.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

enum { DIGIT_MAX = 11, MANY = 4096 };
enum { PIECES = 256, EVEN = 1 << 15, CROWDED = 4, MOVES = 8 };

// Where each value of a digit begins, from how often it comes.
static void make_starts(uint32_t *count, size_t values)
{
    uint32_t sum = 0;
    for (size_t d = 0; d < values; d++) {
        const uint32_t n = count[d];
        count[d] = sum;
        sum += n;
    }
}

static void sort_by_digits(uint64_t *key, uint64_t *spare, size_t count, unsigned bits)
{
    if (count < 2)
        return;
    const unsigned digit = count >= MANY ? DIGIT_MAX : 8;
    uint64_t *from = key, *to = spare;
    for (unsigned shift = 0; shift < bits; shift += digit) {
        uint32_t start[1u << DIGIT_MAX] = {0};
        const uint64_t mask = (UINT64_C(1) << (bits - shift < digit ? bits - shift : digit)) -
                              1; // what lies above stays out of it
        for (size_t i = 0; i < count; i++)
            start[from[i] >> shift & mask]++;
        if (start[from[0] >> shift & mask] == count)
            continue;
        make_starts(start, mask + 1);
        for (size_t i = 0; i < count; i++)
            to[start[from[i] >> shift & mask]++] = from[i];
        uint64_t *const swap = from;
        from = to;
        to = swap;
    }
    if (from != key)
        memcpy(key, from, count * sizeof *key);
}

// A piece of keys that agree above the two bytes at `shift`: from `from` to `to`.
static void sort_piece(uint64_t *from, uint64_t *to, size_t count, unsigned shift, unsigned bits)
{
    uint32_t low[PIECES] = {0}, high[PIECES] = {0};
    for (size_t i = 0; i < count; i++) {
        low[from[i] >> shift & 255]++;
        high[from[i] >> (shift + 8) & 255]++;
    }
    make_starts(low, PIECES);
    make_starts(high, PIECES);
    for (size_t i = 0; i < count; i++)
        to[low[from[i] >> shift & 255]++] = from[i];
    for (size_t i = 0; i < count; i++)
        from[high[to[i] >> (shift + 8) & 255]++] = to[i];
    size_t moves = 0;
    for (size_t i = 0; i < count; i++) {
        const uint64_t x = from[i];
        size_t j = i;
        for (; j && to[j - 1] > x; j--)
            to[j] = to[j - 1];
        to[j] = x;
        moves += i - j;
        if (moves > MOVES * count) { // many keys differ in their low bits only
            memcpy(to, from, count * sizeof *to);
            sort_by_digits(to, from, count, bits);
            return;
        }
    }
}

// 0, and nothing is done, when the keys are not spread evenly or have bits above.
static bool sort_evenly_spread(uint64_t *key, uint64_t *spare, size_t count, unsigned bits)
{
    uint32_t start[PIECES] = {0};
    uint64_t above = 0;
    const unsigned top = bits - 8;
    for (size_t i = 0; i < count; i++) {
        start[key[i] >> top & 255]++;
        above |= key[i] >> top;
    }
    for (unsigned p = 0; p < PIECES; p++)
        if (start[p] > CROWDED * (count / PIECES) || above > 255)
            return false;
    make_starts(start, PIECES);
    for (size_t i = 0; i < count; i++)
        spare[start[key[i] >> top]++] = key[i];
    for (unsigned p = 0; p < PIECES; p++) { // start[p] is where the piece ends by now
        const size_t first = p ? start[p - 1] : 0;
        sort_piece(spare + first, key + first, start[p] - first, top - 16, bits);
    }
    return true;
}

void sort_u64(uint64_t *key, uint64_t *spare, size_t count, unsigned bits)
{
    assert(bits >= 1 && bits <= 64);
    if (count < EVEN || count > UINT32_MAX || bits < 32 ||
        !sort_evenly_spread(key, spare, count, bits))
        sort_by_digits(key, spare, count, bits);
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
        make_starts(at, (size_t)mask + 1);
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
