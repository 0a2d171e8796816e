// SPDX-License-Identifier: Apache-2.0
// A good generator (xoshiro256++) with one thing wrong: bits, values, repeats, dependence,
// conversions, seeding.

#include "stats/panel/panel.h"

struct state {
    uint64_t s[4], other[4];
    uint64_t n; // words given out
    uint64_t seed;
    uint32_t recent[8192];
    unsigned p; // the parameter
};

static void seed_with(uint64_t s[4], uint64_t seed)
{
    for (unsigned i = 0; i < 4; i++)
        s[i] = panel_mix(&seed);
}

static void start(struct state *g, uint64_t seed, unsigned parameter)
{
    seed_with(g->s, seed);
    seed_with(g->other, seed + 77);
    g->seed = seed;
    g->p = parameter;
    for (unsigned i = 0; i < 8192; i++)
        g->recent[i] = (uint32_t)panel_mix(&seed);
}

static uint64_t step(uint64_t s[4])
{
    return panel_xoshiro256(s, panel_rotate64(s[0] + s[3], 23) + s[0]);
}

static uint32_t word(struct state *g)
{
    return (uint32_t)(step(g->s) >> 32);
}

// A chance of `numerator` / 2^32, from a stream of its own.
static bool sometimes(struct state *g, uint32_t numerator)
{
    return (uint32_t)(step(g->other) >> 32) < numerator;
}

// The word given `back` words ago.
static uint32_t recent(const struct state *g, uint64_t back)
{
    return g->recent[(g->n - back) & 8191];
}

#define PANEL_DRAWS_WORDS
static void draw_words(const struct panel_generator *of, struct state *g, uint32_t *to,
                       size_t count)
{
    if (of->fill) {
        of->fill(g, to, count);
        return;
    }
    for (size_t i = 0; i < count; i++, g->n++)
        g->recent[g->n & 8191] = to[i] = of->word(g);
}

// A flaw that is a formula of w, the good word; n, its number; p, the parameter. Whatever takes
// more than one expression is a function.
#define WORD(name, formula)                                                                        \
    static uint32_t name(struct state *g)                                                          \
    {                                                                                              \
        const uint64_t n = g->n;                                                                   \
        const unsigned p = g->p;                                                                   \
        const uint32_t w = word(g);                                                                \
        (void)n, (void)p, (void)w;                                                                 \
        return (uint32_t)(formula);                                                                \
    }

// ---- bits and values --------------------------------------------------------
WORD(stuck_bit, w | 1u << p)
WORD(stuck_bit_rarely, n % p == 0 ? w | 1u << 7 : w)
WORD(biased_bit, sometimes(g, p) ? w | 1u << 5 : w) // P(1) = 1/2 + parameter / 2^33
WORD(biased_all,
     w | ((uint32_t)step(g->other) & (uint32_t)step(g->other) & (uint32_t)step(g->other) &
          (uint32_t)step(g->other) & (uint32_t)step(g->other) & (uint32_t)step(g->other) &
          (uint32_t)step(g->other) & (uint32_t)step(g->other) & (uint32_t)step(g->other)))
WORD(two_bits_equal, sometimes(g, p) ? (w & ~(1u << 20)) | (w >> 3 & 1) << 20 : w)
WORD(halves_equal, sometimes(g, p) ? (w & 0xffff0000u) | w >> 16 : w)
// The next word that does not have this value behind the shift, in the mask.
static uint32_t without(struct state *g, unsigned shift, uint32_t mask, uint32_t value)
{
    uint32_t w;
    do
        w = word(g);
    while ((w >> shift & mask) == value);
    return w;
}

static uint32_t missing_byte(struct state *g)
{
    return without(g, 0, 255, 0x5a);
}

static uint32_t missing_word(struct state *g)
{
    return without(g, 16, 0xffff, 0x1234);
}

WORD(never_zero, w >> 12 == 0 ? w | 0x80000000u : w)
WORD(bits_31, w >> 1)
WORD(bits_31_shifted, w & ~1u)
WORD(low_byte_is_high, (w & ~255u) | w >> 24)
WORD(heavy_words, __builtin_popcount(w) < 11 ? ~w : w)
WORD(byte_floor, n % 256 == 0 ? (w & 0xffff00ffu) : w)
WORD(heavy_hitter, sometimes(g, p) ? 0xdeadbeefu : w)
WORD(zeros_rarely, n % p == p - 1 ? 0 : w)
// ---- dependence -------------------------------------------------------------
WORD(echo, sometimes(g, 1u << 22) ? recent(g, p) : w) // one word in 1,024 copies an old one
WORD(echo_bit, sometimes(g, 1u << 27) ? (w & ~1u) | (recent(g, p) & 1) : w)
WORD(echo_turned, sometimes(g, 1u << 27) ? (w & ~(1u << 9)) | (recent(g, p) >> 26 & 1) << 9 : w)
WORD(echo_complement, sometimes(g, 1u << 22) ? ~recent(g, p) : w)
WORD(sum_of_two, sometimes(g, 1u << 28) ? recent(g, 1) + recent(g, 2) : w)
WORD(exclusive_or_of_two, sometimes(g, 1u << 28) ? recent(g, 3) ^ recent(g, 7) : w)
WORD(weight_memory, sometimes(g, 1u << 26) &&
                            (__builtin_popcount(w) > 16) != (__builtin_popcount(recent(g, 1)) > 16)
                        ? ~w
                        : w)
WORD(rising, w < recent(g, 1) && sometimes(g, 1u << 27) ? word(g) : w)
WORD(top_byte_near, sometimes(g, 1u << 27) ? (w & 0xffffffu) | (recent(g, 1) & 0xff000000u) : w)
static uint32_t no_repeats_nearby(struct state *g)
{
    uint32_t w = word(g);
    for (unsigned k = 1; k <= 16; k++)
        if (w >> 24 == recent(g, k) >> 24)
            w ^= 0x80000000u;
    return w;
}

WORD(stutter, sometimes(g, p) ? recent(g, 1) : w)
WORD(parity_of_words,
     n % 4 == 3 ? (w & ~1u) | ((recent(g, 1) ^ recent(g, 2) ^ recent(g, 3)) & 1) : w)
WORD(carry_of_bits,
     n % 8 == 7
         ? (w & ~2u) | ((recent(g, 1) >> 9 ^ recent(g, 4) >> 17 ^ recent(g, 6) >> 30) & 1) << 1
         : w)
// ---- time -------------------------------------------------------------------
WORD(drift, sometimes(g, (uint32_t)(n >> 2)) ? w | 16 : w) // worse the longer it runs
WORD(alternating, !sometimes(g, 1u << 24) ? w : n >> 12 & 1 ? w | 1u << 11 : w & ~(1u << 11))

WORD(breathing, (n >> 10 & 1 ? __builtin_popcount(w) > 22 : __builtin_popcount(w) < 10) ? ~w : w)
WORD(dies_after, n > (UINT64_C(1) << p) ? 0x55555555u : w)

// ---- repeats ----------------------------------------------------------------
static uint32_t hashed(uint64_t seed, uint64_t at)
{
    uint64_t x = seed * UINT64_C(0x9e3779b97f4a7c15) + at;
    return (uint32_t)(panel_mix(&x) >> 32);
}

// A counter that wraps after 2^parameter words.
WORD(wraps, hashed(g->seed, n &((UINT64_C(1) << p) - 1)))
// A period that is no power of two, in words.
WORD(period, hashed(g->seed, n % p))
// Every 2^20 words a page of 16,384 words comes twice.
WORD(page_twice,
     hashed(g->seed, (n & 0xfffff) >= 700000 && (n & 0xfffff) < 716384 ? n - 300000 : n))

// Once only, 2^22 words apart.
WORD(page_once, hashed(g->seed, n >= 5000001 && n < 5500001 ? n - 4200000 : n))
// The counter is stored in 16 bits where it is carried over: blocks of 4 words repeat out of order.
WORD(narrow_counter, hashed(g->seed, (n & ~UINT64_C(0x3fffc)) ^ (n >> 18 << 2 & 0x3fffc) ^ (n & 3)))
// Seeded again every 4,096 words from 2^parameter seeds.
static void reseeded(struct state *g, uint32_t *to, size_t count)
{
    for (size_t i = 0; i < count; i++, g->n++) {
        if (g->n % 4096 == 0)
            seed_with(g->s, step(g->other) >> (64 - g->p));
        to[i] = word(g);
    }
}
// Streams of 256 words from seeds s, s + 1, ... whose states are the raw seed and constants: weak
// seeding.
static void raw_seeds(struct state *g, uint32_t *to, size_t count)
{
    for (size_t i = 0; i < count; i++, g->n++) {
        if (g->n % 16 == 0) {
            g->s[0] = g->n / 16;
            g->s[1] = g->s[2] = 0;
            g->s[3] = 1;
        }
        to[i] = word(g);
    }
}
// Two streams in turn, the second one the first delayed by `parameter` words.
WORD(overlapping, hashed(g->seed, n / 2 + (n & 1) * p))
// A bijection of a 32-bit counter: no value comes twice.
static uint32_t hashed_32(uint32_t x, unsigned rounds)
{
    for (unsigned r = 0; r < rounds; r++) {
        x ^= x >> 16;
        x *= 0x7feb352du;
        x ^= x >> 15;
        x *= 0x846ca68bu;
        x ^= x >> 16;
    }
    return x;
}
WORD(permuted_counter, hashed_32((uint32_t)n, 3))

static uint32_t multiplied(uint32_t x)
{
    x = (x ^ x >> 16) * 0x85ebca6bu;
    return x ^ x >> 13;
}
WORD(one_multiply, multiplied((uint32_t)n))

// ---- numbers made of words --------------------------------------------------
// What a part of a word is, the highest first; a word is thrown away before.
#define PARTS(name, size, formula)                                                                 \
    static uint32_t name(struct state *g)                                                          \
    {                                                                                              \
        uint32_t w = 0;                                                                            \
        (void)word(g);                                                                             \
        for (unsigned i = 0; i < 32 / (size); i++)                                                 \
            w = w << (size) | (uint32_t)(formula);                                                 \
        return w;                                                                                  \
    }
// Four bytes, each a word modulo 251 spread over 256.
PARTS(modulo_bytes, 8, (uint64_t)(word(g) % 251) * 256 / 251)
// Numbers below 3 * 2^30 by remainder, two bits of each.
PARTS(modulo_wide, 2, word(g) % 0xc0000000u * UINT64_C(4) / 0xc0000000u)
// Sixteen bits of a float in [0, 1) with 12 bits of precision near 1.
PARTS(float_words, 16, (float)(word(g) >> 8) * 0x1p-24f * 65535.0f)

// Rounded to the nearest instead of down: 0 comes half as often, and 65,536 wraps to 0.
static uint32_t rounded(struct state *g)
{
    const uint32_t v = (uint32_t)((float)word(g) * 0x1p-24f + 0.5f);
    return (v > 255 ? 255 : v) << 8 | (word(g) & 255);
}
PARTS(float_rounded, 16, rounded(g))
// Bernoulli bits of p = 1/2 + 2^-12.
PARTS(threshold_off, 1, (word(g) & 4095) < 2049)

// A deck of 16 nibbles, shuffled by exchanging each place with any other: some orders are favoured.
static uint32_t naive_shuffle(struct state *g)
{
    (void)word(g);
    if (g->n % 2 == 0) {
        unsigned char deck[16];
        panel_deal(deck, 16);
        for (unsigned k = 0; k < 16; k++)
            panel_exchange(deck, k, word(g) & 15);
        g->other[0] = 0;
        for (unsigned k = 0; k < 16; k++)
            g->other[0] = g->other[0] << 4 | deck[k];
    }
    return (uint32_t)(g->n % 2 ? g->other[0] >> 32 : g->other[0]);
}

// Bytes of an honest shuffle of 256: each value once in 64 words.
static uint32_t decks(struct state *g)
{
    unsigned char *const deck = (unsigned char *)g->recent + 16384;
    uint32_t w = word(g);
    if (g->n % 64 == 0) {
        panel_deal(deck, 256);
        for (unsigned k = 255; k > 0; k--)
            panel_exchange(deck, k, (unsigned)((uint64_t)word(g) * (k + 1) >> 32));
    }
    memcpy(&w, deck + g->n % 64 * 4, 4);
    g->recent[8191] = 0;
    return w;
}

// Hexadecimal digits as text.
static uint32_t text(struct state *g)
{
    uint32_t w = word(g), t = 0;
    for (int b = 0; b < 4; b++, w >>= 4)
        t = t << 8 | (unsigned char)"0123456789abcdef"[w & 15];
    return t;
}

// Sums of two uniforms: a triangle.
WORD(triangle, (w >> 1) + (word(g) >> 1))
// Samples averaged with their neighbour in the top byte.
WORD(smoothed, (w & 0xffffffu) | (((w >> 25) + (recent(g, 1) >> 25)) << 24))

// Sorted within groups of four, now and then.
static void sorted_groups(struct state *g, uint32_t *to, size_t count)
{
    for (size_t i = 0; i < count; i++)
        to[i] = word(g);
    for (size_t i = 0; i < count; i += 4)
        if (sometimes(g, 1u << 27))
            for (int a = 0; a < 3; a++)
                for (int b = 0; b < 3 - a; b++)
                    if (to[i + (size_t)b] > to[i + (size_t)b + 1]) {
                        const uint32_t t = to[i + (size_t)b];
                        to[i + (size_t)b] = to[i + (size_t)b + 1];
                        to[i + (size_t)b + 1] = t;
                    }
}
// Blocks of 1,024 words with exactly as many ones as zeros.
static void balanced(struct state *g, uint32_t *to, size_t count)
{
    for (size_t i = 0; i < count; i++)
        to[i] = word(g);
    for (size_t i = 0; i < count; i += 1024) {
        int excess = -16384;
        for (size_t j = 0; j < 1024; j++)
            excess += __builtin_popcount(to[i + j]);
        while (excess) {
            const uint32_t r = word(g);
            uint32_t *const w = &to[i + (r & 1023)];
            const uint32_t bit = 1u << (r >> 10 & 31);
            if (excess > 0 && *w & bit)
                *w ^= bit, excess--;
            else if (excess < 0 && !(*w & bit))
                *w ^= bit, excess++;
        }
    }
}
// RC4 under fresh keys: the first 16 bytes of each (the second byte is zero twice too often).
static void rc4_starts(struct state *g, uint32_t *to, size_t count)
{
    unsigned char *const out = (unsigned char *)to;
    for (size_t i = 0; i < count * 4; i += 16) {
        unsigned char box[256], key[16];
        for (unsigned k = 0; k < 16; k += 8) {
            const uint64_t x = step(g->s);
            memcpy(key + k, &x, 8);
        }
        panel_deal(box, 256);
        for (unsigned k = 0, j = 0; k < 256; k++) {
            j = (j + box[k] + key[k % 16]) & 255;
            panel_exchange(box, k, j);
        }
        for (unsigned k = 0, a = 0, b = 0; k < 16; k++) {
            a = (a + 1) & 255, b = (b + box[a]) & 255;
            panel_exchange(box, a, b);
            out[i + k] = box[(box[a] + box[b]) & 255];
        }
    }
}

#define PANEL_LIST "stats/roster/spoiled.inc"
#include "stats/panel/plugin.h"
