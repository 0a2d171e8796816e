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

// A generator that is a formula of its state g: the next word, or the next two.
#define PANEL_FORMULA(type, name, formula)                                                         \
    static type name(struct state *g)                                                              \
    {                                                                                              \
        return (type)(formula);                                                                    \
    }
#define PANEL_WORD(name, formula) PANEL_FORMULA(uint32_t, name, formula)
#define PANEL_PAIR(name, formula) PANEL_FORMULA(uint64_t, name, formula)

#define PANEL_GOLDEN UINT64_C(0x9e3779b97f4a7c15)

static inline uint64_t panel_stirred(uint64_t z, unsigned shift, uint64_t multiplier)
{
    return (z ^ z >> shift) * multiplier;
}

// splitmix64 (Steele, Lea, Flood 2014, doi:10.1145/2660193.2660195): seeds for the others.
static inline uint64_t panel_mixed(uint64_t z)
{
    z = panel_stirred(z, 30, UINT64_C(0xbf58476d1ce4e5b9));
    z = panel_stirred(z, 27, UINT64_C(0x94d049bb133111eb));
    return z ^ z >> 31;
}

static inline uint64_t panel_mix(uint64_t *seed)
{
    return panel_mixed(*seed += PANEL_GOLDEN);
}

// MurmurHash3's finalizer, the last shift left out.
static inline uint64_t panel_murmured(uint64_t z)
{
    z = panel_stirred(z, 33, UINT64_C(0xff51afd7ed558ccd));
    return panel_stirred(z, 33, UINT64_C(0xc4ceb9fe1a85ec53));
}

static inline uint32_t panel_rotate32(uint32_t x, unsigned n)
{
    return x << n | x >> (32 - n);
}

static inline uint64_t panel_rotate64(uint64_t x, unsigned n)
{
    return x << n | x >> (64 - n);
}

// Steps xoshiro256 (Blackman, Vigna, doi:10.1145/3460772), whose output is `out`.
static inline uint64_t panel_xoshiro256(uint64_t s[4], uint64_t out)
{
    const uint64_t t = s[1] << 17;
    s[2] ^= s[0], s[3] ^= s[1], s[1] ^= s[2], s[0] ^= s[3], s[2] ^= t;
    s[3] = panel_rotate64(s[3], 45);
    return out;
}

// Cards in order, and two of them exchanged.
static inline void panel_deal(unsigned char *card, unsigned cards)
{
    for (unsigned k = 0; k < cards; k++)
        card[k] = (unsigned char)k;
}

static inline void panel_exchange(unsigned char *card, uint64_t a, uint64_t b)
{
    const unsigned char kept = card[a];
    card[a] = card[b];
    card[b] = kept;
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
