// SPDX-License-Identifier: Apache-2.0
// The vector form of threefry_fill for any width of vector: an instruction set's file says what a
// vector is and includes this.
//
// The including file defines WIDE_BYTES, WIDE_SETS (vectors in flight), WIDE_ELEMENTS (the function
// to make), and wide_rotate, wide_first, wide_second (the low and the high words of 128-bit halves,
// interleaved) and wide_stream on `wide`.

#include <stdint.h>
#include <string.h>

#include "ref/rng/threefry_forms.h"

enum { WIDE_LANES = WIDE_BYTES / 4, WIDE_GROUP = WIDE_LANES * WIDE_SETS };

static inline wide wide_all(uint32_t value)
{
    return value - (wide){0};
}

// The high 23 bits behind the exponent of [1, 2), minus 1: exact.
static inline wide wide_unit(wide bits)
{
    typedef float floats __attribute__((vector_size(WIDE_BYTES)));
    return (wide)((floats)(bits >> 9 | 0x3f800000) - 1.0F);
}

static inline void wide_put(unsigned char *out, wide value, int streaming)
{
    if (streaming)
        wide_stream(out, value);
    else
        memcpy(out, &value, sizeof value);
}

// In order for elements of one word. For two, interleaving works within 128-bit halves: the low two
// lanes of half h hold counters 2h and 2h + 1, the high two lanes the same in the second half of
// the counters.
static inline wide wide_counter_offsets(int interleaved)
{
    uint32_t lane[WIDE_LANES];
    for (unsigned i = 0; i < WIDE_LANES; i++)
        lane[i] = interleaved ? i / 4 * 2 + i % 2 + (i % 4 / 2) * (WIDE_LANES / 2) : i;
    wide offsets;
    memcpy(&offsets, lane, sizeof offsets);
    return offsets;
}

struct wide_pair {
    wide x0, x1;
};

static inline __attribute__((always_inline)) void wide_mix(struct wide_pair *pair,
                                                           unsigned rotation)
{
    for (unsigned s = 0; s < WIDE_SETS; s++) {
        pair[s].x0 += pair[s].x1;
        pair[s].x1 = wide_rotate(pair[s].x1, rotation) ^ pair[s].x0;
    }
}

static inline __attribute__((always_inline)) void wide_four_rounds(struct wide_pair *pair,
                                                                   const unsigned char rotation[4],
                                                                   wide key0, wide key1)
{
    for (unsigned r = 0; r < 4; r++)
        wide_mix(pair, rotation[r]);
    for (unsigned s = 0; s < WIDE_SETS; s++) {
        pair[s].x0 += key0;
        pair[s].x1 += key1;
    }
}

static inline __attribute__((always_inline)) void wide_run(enum threefry_element element,
                                                           const uint32_t key[2], uint32_t high,
                                                           uint32_t low, size_t count,
                                                           unsigned char *out, int streaming)
{
    static const unsigned char early[4] = {13, 15, 26, 6}, late[4] = {17, 29, 16, 24};
    const int interleaved = element == THREEFRY_PAIR || element == THREEFRY_U64;
    const uint32_t parity = 0x1BD11BDA ^ key[0] ^ key[1];
    const wide k0 = wide_all(key[0]), k1 = wide_all(key[1]), k2 = wide_all(parity);
    const wide k2_1 = wide_all(parity + 1), k0_2 = wide_all(key[0] + 2),
               k1_3 = wide_all(key[1] + 3), k2_4 = wide_all(parity + 4),
               k0_5 = wide_all(key[0] + 5);
    const wide start0 = wide_all(high) + k0;
    wide next = wide_all(low) + wide_counter_offsets(interleaved) + k1;
    for (size_t done = 0; done < count; done += WIDE_GROUP) {
        struct wide_pair pair[WIDE_SETS];
        for (unsigned s = 0; s < WIDE_SETS; s++) {
            pair[s] = (struct wide_pair){start0, next};
            next += wide_all(WIDE_LANES);
        }
        wide_four_rounds(pair, early, k1, k2_1);
        wide_four_rounds(pair, late, k2, k0_2);
        wide_four_rounds(pair, early, k0, k1_3);
        wide_four_rounds(pair, late, k1, k2_4);
        wide_four_rounds(pair, early, k2, k0_5);
        for (unsigned s = 0; s < WIDE_SETS; s++) {
            const wide x0 = pair[s].x0, x1 = pair[s].x1;
            const wide a = element == THREEFRY_U64 ? x1 : x0, b = element == THREEFRY_U64 ? x0 : x1;
            if (interleaved)
                wide_put(out, wide_first(a, b), streaming);
            else
                wide_put(out, element == THREEFRY_UNIT_F32 ? wide_unit(x0 ^ x1) : x0 ^ x1,
                         streaming);
            out += WIDE_BYTES;
            if (interleaved) {
                wide_put(out, wide_second(a, b), streaming);
                out += WIDE_BYTES;
            }
        }
    }
}

// Each kind of element gets code of its own.
size_t WIDE_ELEMENTS(enum threefry_element element, const uint32_t key[2], uint32_t high,
                     uint32_t low, size_t count, void *out, int streaming)
{
    const size_t whole = count / WIDE_GROUP * WIDE_GROUP;
    switch (element) {
    case THREEFRY_XOR:
        wide_run(THREEFRY_XOR, key, high, low, whole, out, streaming);
        break;
    case THREEFRY_PAIR:
        wide_run(THREEFRY_PAIR, key, high, low, whole, out, streaming);
        break;
    case THREEFRY_U64:
        wide_run(THREEFRY_U64, key, high, low, whole, out, streaming);
        break;
    case THREEFRY_UNIT_F32:
        wide_run(THREEFRY_UNIT_F32, key, high, low, whole, out, streaming);
        break;
    }
    return whole;
}
