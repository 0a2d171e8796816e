// SPDX-License-Identifier: Apache-2.0
// For generators that are written as what happens at one word: their state, a good stream by index,
// and the loop around them.

#ifndef ASSAY_STATS_PANEL_STEPS_H
#define ASSAY_STATS_PANEL_STEPS_H

#include "stats/panel/panel.h"

struct steps {
    uint64_t at;      // number of the next word
    uint64_t seed;    // of the good stream
    uint64_t given;   // the seed as the caller gave it
    uint64_t x, y;    // whatever the generator keeps
    uint64_t pending; // bits not yet given out, the lowest first
    unsigned parameter, held;
    unsigned in, out; // places in `small`, which may serve as a queue
    uint32_t small[4096];
    double real[8];
    uint32_t recent[1 << 17]; // the last words
};

static void start(void *state, uint64_t seed, unsigned parameter)
{
    struct steps *const g = state;
    memset(g, 0, sizeof *g);
    g->given = seed;
    g->seed = panel_mix(&seed);
    g->parameter = parameter;
    g->x = panel_mix(&seed) | 1;
    g->y = panel_mix(&seed);
    for (unsigned i = 0; i < 4096; i++)
        g->small[i] = (uint32_t)(panel_mix(&seed) >> 32);
    for (unsigned i = 0; i < 1 << 17; i++)
        g->recent[i] = (uint32_t)(panel_mix(&seed) >> 32);
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
static inline int sometimes(const struct steps *g, uint32_t numerator)
{
    return word(~g->seed, g->at) < numerator;
}

// The next good 64 bits of a second stream, for those that need more than one draw a word.
static inline uint64_t draw(struct steps *g)
{
    return value(g->seed ^ UINT64_C(0x3c3c3c3c3c3c3c3c), ++g->y);
}

// Uniform on (0, 1), 52 bits and a half.
static inline double draw_real(struct steps *g)
{
    return ((double)(draw(g) >> 12) + 0.5) * 0x1p-52;
}

// Each bit is a one with the chance 2^-halvings.
static inline uint32_t seldom(struct steps *g, uint64_t halvings)
{
    uint64_t mask = UINT32_MAX;
    for (; halvings > 1; halvings -= 2) {
        const uint64_t v = draw(g);
        mask &= v & v >> 32;
    }
    return (uint32_t)(halvings ? mask & draw(g) : mask);
}

// `bits` more of what will be given out.
static inline void push(struct steps *g, uint64_t bits, unsigned count)
{
    g->pending |= (bits & ((UINT64_C(1) << count) - 1)) << g->held;
    g->held += count;
}

static inline uint32_t pull(struct steps *g)
{
    const uint32_t w = (uint32_t)g->pending;
    g->pending >>= 32;
    g->held -= 32;
    return w;
}

// The statements see w (a good word, to be spoiled), n (its number) and p (the parameter).
#define EACH(name, ...)                                                                            \
    static void name(void *state, uint32_t *to, size_t count)                                      \
    {                                                                                              \
        struct steps *const g = state;                                                             \
        const uint64_t p = g->parameter;                                                           \
        (void)p;                                                                                   \
        for (size_t i = 0; i < count; i++, g->at++) {                                              \
            const uint64_t n = g->at;                                                              \
            uint32_t w = word(g->seed, n);                                                         \
            __VA_ARGS__;                                                                           \
            to[i] = w;                                                                             \
            g->recent[n & 0x1ffff] = w;                                                            \
        }                                                                                          \
    }
// The statements push bits (32 at most at a time) until a word is there.
#define BITS(name, ...)                                                                            \
    static void name(void *state, uint32_t *to, size_t count)                                      \
    {                                                                                              \
        struct steps *const g = state;                                                             \
        const uint64_t p = g->parameter;                                                           \
        (void)p;                                                                                   \
        for (size_t i = 0; i < count; i++, g->at++) {                                              \
            const uint64_t n = g->at;                                                              \
            (void)n;                                                                               \
            while (g->held < 32) {                                                                 \
                __VA_ARGS__;                                                                       \
            }                                                                                      \
            to[i] = pull(g);                                                                       \
        }                                                                                          \
    }
#define BACK(n) g->recent[(g->at - (n)) & 0x1ffff]
#define SEED g->seed

#define ONE(name)                                                                                  \
    {                                                                                              \
#name, start, name, 0                                                                      \
    }
#define WITH(name, n)                                                                              \
    {                                                                                              \
#name "_" #n, start, name, n                                                               \
    }

#endif
