// SPDX-License-Identifier: Apache-2.0
// For generators that are written as what happens at one word: their state, a good stream by index,
// and the loop around them.

#ifndef ASSAY_STATS_PANEL_STEPS_H
#define ASSAY_STATS_PANEL_STEPS_H

#include "stats/panel/panel.h"

struct state {
    uint64_t n;       // number of the next word
    uint64_t seed;    // of the good stream
    uint64_t given;   // the seed as the caller gave it
    uint64_t x, y;    // whatever the generator keeps
    uint64_t pending; // bits not yet given out, the lowest first
    unsigned p, held; // p: the parameter
    unsigned in, out; // places in `small`, which may serve as a queue
    uint32_t small[1 << 16];
    double real[8];
    uint32_t recent[1 << 17]; // the last words
};

static void start(struct state *g, uint64_t seed, unsigned parameter)
{
    memset(g, 0, sizeof *g);
    g->given = seed;
    g->seed = panel_mix(&seed);
    g->p = parameter;
    g->x = panel_mix(&seed) | 1;
    g->y = panel_mix(&seed);
    for (unsigned i = 0; i < 4096; i++)
        g->small[i] = (uint32_t)(panel_mix(&seed) >> 32);
    for (unsigned i = 0; i < 1 << 17; i++)
        g->recent[i] = (uint32_t)(panel_mix(&seed) >> 32);
    for (unsigned i = 4096; i < 1 << 16; i++)
        g->small[i] = (uint32_t)(panel_mix(&seed) >> 32);
}

// 64 good bits: number `at` of stream `seed`.
static inline uint64_t value(uint64_t seed, uint64_t at)
{
    uint64_t x = seed + at * UINT64_C(0x9e3779b97f4a7c15);
    return panel_mix(&x);
}

static inline uint32_t word(uint64_t seed, uint64_t at)
{
    return (uint32_t)(value(seed, at) >> 32);
}

// A chance of numerator / 2^32 at this place.
static inline bool sometimes(const struct state *g, uint32_t numerator)
{
    return word(~g->seed, g->n) < numerator;
}

// The next good 64 bits of a second stream, for those that need more than one draw a word.
static inline uint64_t draw(struct state *g)
{
    return value(g->seed ^ UINT64_C(0x3c3c3c3c3c3c3c3c), ++g->y);
}

// Uniform on (0, 1), 52 bits and a half.
static inline double draw_real(struct state *g)
{
    return ((double)(draw(g) >> 12) + 0.5) * 0x1p-52;
}

// Each bit is a one with the chance 2^-halvings.
static inline uint32_t seldom(struct state *g, uint64_t halvings)
{
    uint64_t mask = UINT32_MAX;
    for (; halvings > 1; halvings -= 2) {
        const uint64_t v = draw(g);
        mask &= v & v >> 32;
    }
    return (uint32_t)(halvings ? mask & draw(g) : mask);
}

// `bits` more of what will be given out.
static inline void push(struct state *g, uint64_t bits, unsigned count)
{
    g->pending |= (bits & ((UINT64_C(1) << count) - 1)) << g->held;
    g->held += count;
}

static inline uint32_t pull(struct state *g)
{
    const uint32_t w = (uint32_t)g->pending;
    g->pending >>= 32;
    g->held -= 32;
    return w;
}

// The good word of this place, to be spoiled.
static inline uint32_t good(const struct state *g)
{
    return word(g->seed, g->n);
}

// The word given `back` words ago.
static inline uint32_t recent(const struct state *g, uint64_t back)
{
    return g->recent[(g->n - back) & 0x1ffff];
}

#define PANEL_DRAWS_WORDS
static void draw_words(const struct panel_generator *of, struct state *g, uint32_t *to,
                       size_t count)
{
    for (size_t i = 0; i < count; i++, g->n++) {
        while (of->bits && g->held < 32)
            of->bits(g);
        to[i] = of->bits ? pull(g) : of->word(g);
        g->recent[g->n & 0x1ffff] = to[i];
    }
}

// A flaw that is a formula of w, the good word; n, its number; p, the parameter. Whatever takes
// more than one expression is a function.
#define WORD(name, formula)                                                                        \
    static uint32_t name(struct state *g)                                                          \
    {                                                                                              \
        const uint64_t n = g->n, p = g->p;                                                         \
        const uint32_t w = good(g);                                                                \
        (void)n, (void)p, (void)w;                                                                 \
        return (uint32_t)(formula);                                                                \
    }

// The next `size` bits, a number by that formula; a larger one is passed over.
#define BITS(name, size, formula)                                                                  \
    static void name(struct state *g)                                                              \
    {                                                                                              \
        const uint64_t v = (formula);                                                              \
        if (v >> (size) == 0)                                                                      \
            push(g, v, (size));                                                                    \
    }

// What WORD is for each part of `size` bits of a word, the highest first; n is the part's number.
#define PARTS(name, size, formula)                                                                 \
    static uint32_t name(struct state *g)                                                          \
    {                                                                                              \
        uint32_t w = 0;                                                                            \
        for (unsigned i = 0; i < 32 / (size); i++) {                                               \
            const uint64_t n = g->n * (32 / (size)) + i, p = g->p;                                 \
            (void)n, (void)p;                                                                      \
            w = w << (size) | (uint32_t)(formula);                                                 \
        }                                                                                          \
        return w;                                                                                  \
    }

#endif
