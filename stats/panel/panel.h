// SPDX-License-Identifier: Apache-2.0
// What the generators of the panel share: the plugin around a table of them.
//
// The operation is `panel.words` with the attributes `generator` (text) and `seed`; its output is a
// u32 list, of which windows are asked in rising order. A generator of 64-bit words gives the low
// half first.

#ifndef ASSAY_STATS_PANEL_PANEL_H
#define ASSAY_STATS_PANEL_PANEL_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/plugin.h"

enum { PANEL_STATE_SIZE = 1 << 20, PANEL_BATCH = 4096 };

// What a generator keeps from word to word: each plugin has its own.
struct state;

// One of the functions draws, by whichever of these types it has.
typedef uint32_t panel_word(struct state *state);
typedef uint64_t panel_pair(struct state *state); // two words, low half first
typedef void panel_bits(struct state *state);     // stats/panel/steps.h: pushes up to 32 bits
typedef void panel_fill(struct state *state, uint32_t *to, size_t count); // PANEL_BATCH or more

struct panel_generator {
    const char *name;
    panel_word *word;
    panel_pair *pair;
    panel_bits *bits;
    panel_fill *fill;
    unsigned parameter;
};

struct assay_session {
    int unused;
};

struct assay_instance {
    const struct panel_generator *generator;
    uint64_t seed, position; // position: of the generator's next word
    bool kept;               // the words before it are in `batch`
    uint32_t batch[PANEL_BATCH];
    _Alignas(64) unsigned char state[PANEL_STATE_SIZE];
};

// splitmix64 (Steele, Lea, Flood 2014, doi:10.1145/2660193.2660195): seeds for the others.
static inline uint64_t panel_mixed(uint64_t z)
{
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static inline uint64_t panel_mix(uint64_t *seed)
{
    return panel_mixed(*seed += UINT64_C(0x9e3779b97f4a7c15));
}

static inline uint32_t panel_rotate32(uint32_t x, unsigned n)
{
    return x << n | x >> (32 - n);
}

static inline uint64_t panel_rotate64(uint64_t x, unsigned n)
{
    return x << n | x >> (64 - n);
}

// To the right, by any number.
static inline uint32_t panel_turn32(uint32_t x, uint64_t by)
{
    const unsigned n = by & 31;
    return x >> n | x << (-n & 31);
}

// PCG32's output (O'Neill 2014) of a state of 64 bits.
static inline uint32_t panel_pcg32(uint64_t state)
{
    return panel_turn32((uint32_t)((state >> 18 ^ state) >> 27), state >> 59);
}

#endif
