// SPDX-License-Identifier: Apache-2.0
// Words that are alike: one becomes the other by a turn, as its complement, as its negative, or
// with its bytes, its bits, or the bits of each byte in reverse order. Words that are alike in one
// of these ways share a cell.

#ifndef ASSAY_STATS_BATTERY_REPEATS_ALIKE_H
#define ASSAY_STATS_BATTERY_REPEATS_ALIKE_H

#include <stdbool.h>
#include <stdint.h>

enum { ALIKE_ROTATED, ALIKE_COMPLEMENTED, ALIKE_NEGATED, ALIKE_REVERSED, ALIKE_KINDS };

// Words in a cell, but for the few in smaller cells, which a map leaves as they are.
static const struct {
    unsigned in_cell;
    const char *how;
} alike[ALIKE_KINDS] = {{32, "rotated"},
                        {2, "complemented"},
                        {2, "negated"},
                        {4, "their bytes, bits or bits of bytes reversed"}};

static inline uint32_t alike_reversed_in_bytes(uint32_t x)
{
    x = (x & 0x55555555) << 1 | (x >> 1 & 0x55555555);
    x = (x & 0x33333333) << 2 | (x >> 2 & 0x33333333);
    return (x & 0x0f0f0f0f) << 4 | (x >> 4 & 0x0f0f0f0f);
}

static inline uint32_t alike_bytes_reversed(uint32_t x)
{
    x = x << 16 | x >> 16;
    return (x & 0x00ff00ff) << 8 | (x >> 8 & 0x00ff00ff);
}

static inline uint32_t alike_least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

// The name of the word's cell, the least of the words that it can become. Of a kind that has
// smaller cells *symmetric says whether this is one.
static inline uint32_t alike_name(unsigned kind, uint32_t x, bool *symmetric)
{
    uint32_t name = x;
    switch (kind) {
    case ALIKE_ROTATED:
        for (unsigned turn = 1; turn < 32; turn++)
            name = alike_least(name, x << turn | x >> (32 - turn));
        // What any rotation leaves as it is, the one by half a word does.
        *symmetric = x == (x << 16 | x >> 16);
        return name;
    case ALIKE_COMPLEMENTED:
        return alike_least(x, ~x);
    case ALIKE_NEGATED:
        *symmetric = x == -x;
        return alike_least(x, -x);
    default: {
        const uint32_t bits = alike_reversed_in_bytes(x), bytes = alike_bytes_reversed(x),
                       both = alike_bytes_reversed(bits);
        *symmetric = x == bits || x == bytes || x == both;
        return alike_least(alike_least(x, bits), alike_least(bytes, both));
    }
    }
}

#endif
