// SPDX-License-Identifier: Apache-2.0
// A good stream (splitmix64 by index) in which something is wrong at some places: lanes, every k-th
// word, blocks, positions far in, streams that are kin.

#include "stats/panel/steps.h"

static uint32_t xorshift32(uint32_t *x)
{
    *x ^= *x << 13;
    *x ^= *x >> 17;
    *x ^= *x << 5;
    return *x;
}

static uint32_t reversed(uint32_t w)
{
    w = w >> 16 | w << 16;
    w = (w & 0x00ff00ffu) << 8 | (w >> 8 & 0x00ff00ffu);
    w = (w & 0x0f0f0f0fu) << 4 | (w >> 4 & 0x0f0f0f0fu);
    w = (w & 0x33333333u) << 2 | (w >> 2 & 0x33333333u);
    return (w & 0x55555555u) << 1 | (w >> 1 & 0x55555555u);
}

enum { TWISTERS = 64 };

// The first outputs of TWISTERS Mersenne Twisters, seeded with first << shift, (first + 1) <<
// shift, ...: of 624 words of the state only the words 0, 1 and 397 count, and the chains to them
// run side by side.
static void twister_firsts(uint32_t first, unsigned shift, uint32_t out[TWISTERS])
{
    uint32_t x[TWISTERS], y[TWISTERS];
    for (uint32_t i = 0; i < TWISTERS; i++) {
        x[i] = (first + i) << shift;
        const uint32_t x1 = 1812433253u * (x[i] ^ x[i] >> 30) + 1;
        y[i] = (x[i] & 0x80000000u) | (x1 & 0x7fffffffu);
    }
    for (uint32_t k = 1; k < 398; k++)
        for (uint32_t i = 0; i < TWISTERS; i++)
            x[i] = 1812433253u * (x[i] ^ x[i] >> 30) + k;
    for (uint32_t i = 0; i < TWISTERS; i++) {
        uint32_t w = x[i] ^ y[i] >> 1 ^ (y[i] & 1 ? 0x9908b0dfu : 0);
        w ^= w >> 11;
        w ^= w << 7 & 0x9d2c5680u;
        w ^= w << 15 & 0xefc60000u;
        out[i] = w ^ w >> 18;
    }
}

// ---- lanes and every k-th word ----------------------------------------------
WORD(kth_is_counter, n % p == p - 1 ? (uint32_t)(n / p) : w)
WORD(kth_is_congruential, n % p == p - 1 ? (g->small[0] = g->small[0] * 1664525u + 1013904223u) : w)
WORD(kth_is_xorshift, n % p == p - 1 ? xorshift32(&g->small[0]) : w)
WORD(kth_is_congruential64,
     n % p == p - 1 ? ((uint32_t)((g->x = g->x * UINT64_C(6364136223846793005) + 1) >> 32)) : w)
WORD(kth_has_16_bits, n % p == p - 1 ? word(g->seed, w & 0xffff) : w)
WORD(kth_is_neighbour, n % p == p - 1 ? recent(g, 1) : w)
WORD(kth_is_first, n % p == p - 1 ? recent(g, p - 1) : w)
WORD(lane_of_other_block, n % 8 == 5 ? n >= 11 ? word(g->seed, n / 8 * 8 - 4) : w : w)
WORD(kth_bit_is_biased, n % p == p - 1 && sometimes(g, 1u << 28) ? w | 1u << 13 : w)
WORD(kth_low_bits_of_time, n % p == p - 1 ? (w & ~255u) | (uint32_t)(n / p & 255) : w)
// ---- blocks -----------------------------------------------------------------
// The last of p words makes the exclusive or, or the sum, of them all 0.
static uint32_t checksum(struct state *g)
{
    const uint64_t at = g->n % g->p;
    const uint32_t w = at == g->p - 1 ? g->small[1] : good(g);
    g->small[1] = at ? g->small[1] ^ w : w;
    return w;
}

static uint32_t sum_is_zero(struct state *g)
{
    const uint64_t at = g->n % g->p;
    const uint32_t w = at == g->p - 1 ? 0 - g->small[1] : good(g);
    g->small[1] = at ? g->small[1] + w : w;
    return w;
}

WORD(header, n % 4096 < 2 ? n % 2 ? 0x46464952u : 0x61746164u : w)
WORD(block_once_more, word(g->seed, n % 65536 < 512 && n >= 1000000 ? n - 777777 : n))
WORD(eight_words_again, word(g->seed, n % 4096 < 8 && n > 2000000 ? n - 1000003 : n))
WORD(two_words_again, word(g->seed, n % 1024 < 2 && n > 2000000 ? n - 1000002 : n))
WORD(word_again, n % 256 == 77 && n > 400000 ? word(g->seed, n - 300007) : w)
WORD(word_again_somewhere, n % 1024 == 77 && n > 400000
                               ? word(g->seed, n - 1 - (uint64_t)word(g->seed + 1, n) % 400000)
                               : w)
WORD(bit_again, sometimes(g, 1u << 28) ? (w & ~1u) | (word(g->seed, n - 50021) & 1) : w)
WORD(bit_again_of_other, sometimes(g, 1u << 28) ? (w & ~2u) | (word(g->seed, n - 53) >> 20 & 2) : w)
WORD(reversed_again, n % 64 == 0 ? reversed(recent(g, 5)) : w)
WORD(bytes_again, n % 64 == 0 ? __builtin_bswap32(recent(g, 7)) : w)
WORD(negative_again, sometimes(g, 1u << 24) ? 0 - recent(g, 100) : w)
WORD(triple_again, sometimes(g, 1u << 24) ? 3 * recent(g, 1) : w)
WORD(square_again, sometimes(g, 1u << 24) ? recent(g, 1) * recent(g, 1) : w)
WORD(product_of_two, sometimes(g, 1u << 26) ? recent(g, 1) * recent(g, 2) : w)
WORD(and_of_two, sometimes(g, 1u << 23) ? recent(g, 1) & recent(g, 2) : w)
static uint32_t most(uint32_t a, uint32_t b, uint32_t c)
{
    return (a & b) | (b & c) | (a & c);
}
WORD(majority, sometimes(g, 1u << 27)
                   ? (w & ~(1u << 30)) | (most(recent(g, 1), recent(g, 2), recent(g, 3)) & 1u << 30)
                   : w)

static uint32_t parity_of_37(struct state *g)
{
    const uint32_t w = good(g);
    uint32_t s = 0;
    for (unsigned k = 1; k <= 37; k++)
        s ^= recent(g, k);
    return (w & ~1u) | (s & 1);
}

WORD(parity_far, (w & ~1u) | ((recent(g, 9001) ^ recent(g, 20011) ^ recent(g, 31337)) & 1))
WORD(parity_of_two_far, sometimes(g, 1u << 30) ? recent(g, 17001) ^ recent(g, 44497) : w)
WORD(three_term, n > 0x1ffff ? recent(g, p) ^ recent(g, p / 2 + 1) : w)
WORD(three_term_sum, n > 0x1ffff ? recent(g, p) + recent(g, p / 2 + 1) : w)
WORD(parity_in_word, sometimes(g, 1u << 27) ? w ^ (uint32_t)__builtin_parity(w) : w)
WORD(parity_of_mask, (w & ~(1u << 27)) | (uint32_t)__builtin_parity(w & 0x10842109u) << 27)
WORD(no_float_nans, (w >> 23 & 255) == 255 ? w ^ 1u << 30 : w)
WORD(decimal, (uint32_t)((uint64_t)(w % 1000000000u) * 4294967296u / 1000000000u))
WORD(low_bits_of_high,
     sometimes(g, 1u << 25) ? (w & 0xffff0000u) | ((w >> 16) * 40503u & 0xffff) : w)
WORD(signs_alike, sometimes(g, 1u << 25) ? (w & 0x7fffffffu) | (recent(g, 1) & 0x80000000u) : w)
WORD(equal_pairs_avoided, w >> 22 == recent(g, 1) >> 22 ? word(g->seed + 1, n) : w)
static uint32_t zeros_in_runs(struct state *g)
{
    if (sometimes(g, 1u << 10))
        g->held = 3;
    if (!g->held)
        return good(g);
    g->held--;
    return 0;
}

static uint32_t bytes_avoid_previous(struct state *g)
{
    uint32_t w = good(g);
    for (int b = 0; b < 32; b += 8)
        if ((w >> b & 255) == (recent(g, 1) >> b & 255))
            w ^= 1u << b;
    return w;
}

// A newline (10) turned into a carriage return and a newline (13, 10): the stream went through a
// file in text mode.
static uint32_t text_mode(struct state *g)
{
    while (g->held < 32) {
        const uint32_t b = word(g->seed + 5, g->x++) & 255;
        if (b == 10)
            push(g, 13, 8);
        push(g, b, 8);
    }
    return pull(g);
}

// A good shuffle that may not leave a card in its place (Sattolo's), 16 nibbles.
static uint32_t sattolo(struct state *g)
{
    const uint64_t n = g->n;
    if (n % 2 == 0) {
        unsigned char deck[16];
        for (unsigned k = 0; k < 16; k++)
            deck[k] = (unsigned char)k;
        for (unsigned k = 15; k > 0; k--) {
            const unsigned j = (unsigned)((uint64_t)word(g->seed, n * 16 + k) * k >> 32);
            const unsigned char t = deck[k];
            deck[k] = deck[j];
            deck[j] = t;
        }
        g->pending = 0;
        for (unsigned k = 0; k < 16; k++)
            g->pending = g->pending << 4 | deck[k];
    }
    return (uint32_t)(g->pending >> (n % 2 ? 32 : 0));
}

// ---- time -------------------------------------------------------------------
WORD(slow_drift, word(g->seed + 9, n) < n >> 9 ? w | 1u << 22 : w)
WORD(slow_wave, sometimes(g, 1u << 22) ? n >> 22 & 1 ? w | 1u << 9 : w & ~(1u << 9) : w)
static uint32_t uncertain_level(struct state *g)
{
    const uint32_t w = good(g);
    if (g->n % 4096 == 0)
        g->held = word(g->seed + 2, g->n) & 1;
    return !sometimes(g, 1u << 24) ? w : g->held ? w | 4 : w & ~4u;
}

WORD(late_stuck, n >> p && n % 64 == 0 ? w | 8 : w)
WORD(late_echo, n >> p && n % 64 == 0 ? (w & ~1u) | (recent(g, 1) & 1) : w)
WORD(late_bias, n >> p && sometimes(g, 1u << 22) ? w | 1u << 5 : w)
WORD(late_counter, n >> p ? (uint32_t)n * 2654435761u : w)
WORD(once_a_counter, n >= 100000000 && n < 100065536 ? (uint32_t)n : w)
WORD(once_zeros, n >= 123456789 && n < 123456789 + 64 ? 0 : w)
WORD(seldom_a_counter, (n & 0xffffff) < 1024 ? (uint32_t)n : w)
WORD(every_2_24_the_same, word(g->seed, (n & 0xffffff) < 16 ? n & 0xffffff : n))
WORD(first_words_again, word(g->seed, n >= 300000000 && n < 300004096 ? n - 300000000 : n))
// ---- kin --------------------------------------------------------------------
WORD(antithetic, n & 1 ? 0 - recent(g, 1) : w)
WORD(antithetic_far, n >> 6 & 1 ? ~recent(g, 64) : w)
WORD(kin_reversed, n & 1 ? reversed(word(g->seed, (n - 1) - 2000)) : w)
WORD(kin_one_bit_in_ten, n & 1 && sometimes(g, 1u << 25)
                             ? (w & ~0x01010101u) | (word(g->seed, n - 1 - 64) & 0x01010101u)
                             : w)
WORD(kin_of_sixteen,
     n % 16 == 11 && sometimes(g, 1u << 26) ? (w & ~1u) | (word(g->seed, n - 11 + 2) & 1) : w)
// Pages of 4,096 words from seeds that are rounded to floats: neighbours get the same.
static uint32_t seeds_as_floats(struct state *g)
{
    const uint64_t n = g->n;
    const float f = (float)(16777216 * 3 + n / 4096);
    return word(g->seed ^ (uint64_t)f, n % 4096);
}

// Pages from 24-bit seeds that are drawn.
WORD(seeds_of_24_bits, word(word(g->seed, n / 4096) >> 8, n % 4096))
// Children whose keys are words that their parent gives out as well.
static uint32_t children_in_parent(struct state *g)
{
    const uint64_t n = g->n, page = n / 256, in = n % 256, parent = page / 8,
                   key = (uint64_t)word(g->seed ^ parent, 1000 + page % 8 * 2) << 32 |
                         word(g->seed ^ parent, 1001 + page % 8 * 2);
    return in < 2      ? (uint32_t)(in ? key : key >> 32)
           : in >= 240 ? word(g->seed ^ page, 1000 + in - 240)
                       : word(key, in);
}

// The first output of Mersenne Twister under seeds 0, 1, 2, ... and under those seeds in the high
// half.
static uint32_t twister_first(struct state *g, unsigned shift)
{
    if (g->n % TWISTERS == 0)
        twister_firsts((uint32_t)g->n, shift, g->small);
    return g->small[g->n % TWISTERS];
}
WORD(twister_first_outputs, twister_first(g, 0))
WORD(twister_first_outputs_high, twister_first(g, 16))

// 64 streams of PCG32 that differ in their increments 1, 3, 5, ... alone, one word of each in turn.
static uint32_t pcg_close_streams(struct state *g)
{
    uint64_t *const x = (uint64_t *)(void *)g->small + g->n % 64;
    const uint64_t old = g->n < 64 ? 0x853c49e6748fea9bu : *x;
    *x = old * UINT64_C(6364136223846793005) + (2 * (g->n % 64) + 1);
    return panel_pcg32(old);
}

// splitmix64 under increments 1, 3, 5, ..., eight words of each.
static uint32_t small_increments(struct state *g)
{
    const uint64_t n = g->n, step = 2 * (n / 8) + 1;
    return (uint32_t)(panel_mixed(g->seed + step * (n % 8 + 1)) >> 32);
}

#define PANEL_LIST "stats/roster/placed.inc"
#include "stats/panel/plugin.h"
