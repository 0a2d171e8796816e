// SPDX-License-Identifier: Apache-2.0
// A good stream that was handled badly: buffers, lanes, threads, packing, transport, noise sources.

#include "stats/panel/steps.h"

#include <math.h>

// ---- buffers: `p` words each Of ---------------------------------------------
// 64 (of 4,096) buffers one is given out once more in place of the next.
static uint32_t buffer_again_64(struct state *g)
{
    const uint64_t n = g->n, p = g->p, b = n / p;
    return word(g->seed, b % 64 == 63 ? n - p : n);
}

static uint32_t buffer_again_4096(struct state *g)
{
    const uint64_t n = g->n, p = g->p, b = n / p;
    return word(g->seed, b % 4096 == 4095 ? n - p : n);
}

// The last word, the last three words of a buffer are the last buffer's.
WORD(stale_tail, n % p == p - 1 && n > 2 * p ? word(g->seed, n / p * p - 2) : w)
WORD(stale_tail_same_place, n % p >= p - 3 && n > 2 * p ? recent(g, p) : w)
// A buffer's first word is the sum of the last one's words; is what a pointer looks like.
WORD(pointer_left, n % p == p - 1 ? n / p % 2 ? 0x00007ffdu : (w & 0x00ffffc0u) | 0x3b000000u : w)
WORD(low_pointer_bits, n % p == p - 1 ? w & ~15u : w)
// A 64-bit word read in two: the half is that of the word before, in p of 2^32 cases.
WORD(torn_read, n % 2 && n > 2 && sometimes(g, (uint32_t)p) ? word(g->seed, n - 2) : w)
// One sector of 128 words in 2^20 is the one before it, or the one after it 2^20 before.
WORD(sector_again, word(g->seed, (n & 0xfffff) >> 7 == 5 && n > 128 ? n - 128 : n))
WORD(sector_again_far,
     word(g->seed, (n & 0xfffff) >> 7 == 5 && n > 0xfffff ? n - 0x100000 + 128 : n))
WORD(sector_again_once, word(g->seed, n >> 7 == 100000 ? n - 128 * 77777 : n))
// Words in tables of 33 by 32 read with the wrong pitch: one in 32 twice.
static uint32_t wrong_pitch(struct state *g)
{
    const uint64_t n = g->n, t = n / 1024, r = n % 1024 / 32, c = n % 32;
    return word(g->seed, t * 1024 + (c == 31 && r ? 30 : c) * 32 + r);
}

// ---- lanes and threads ------------------------------------------------------
// 32 lanes of one sequence, each p behind its neighbour.
WORD(lanes_delayed, word(g->seed, n / 32 + n % 32 * p))
// 1,024 engines that start one value apart; each gives k values at a time.
static uint32_t engines_one_apart(struct state *g)
{
    const uint64_t n = g->n, p = g->p, in = n % p, engine = n / p % 1024, turn = n / p / 1024;
    return word(g->seed, engine + turn * p + in);
}

// Eight threads take 4,096 words in turn; they start 2^p words apart and run into each other.
static uint32_t threads_run_over(struct state *g)
{
    const uint64_t n = g->n, p = g->p, page = n / 4096;
    return word(g->seed, ((page % 8) << p) + page / 8 * 4096 + n % 4096);
}

// One of p threads, 64 words in turn, has the seed of another.
static uint32_t two_threads_alike(struct state *g)
{
    const uint64_t n = g->n, p = g->p, turn = n / 64, t = turn % p;
    return word(g->seed + (t == 700 % p ? 13 % p : t), turn / p * 64 + n % 64);
}

// The same, but a bit of the words is different.
static uint32_t two_threads_alike_but_a_bit(struct state *g)
{
    const uint64_t n = g->n, p = g->p, turn = n / 64, t = turn % p;
    return word(g->seed + (t == 700 % p ? 13 % p : t), turn / p * 64 + n % 64) ^
           (t == 700 % p ? 0x400u : 0);
}

// An update lost now and then: four words come again at once (in 1 of 2^p).
static uint32_t lost_update(struct state *g)
{
    const uint64_t n = g->n, p = g->p;
    uint32_t w = good(g);
    if (n % 4 == 0 && n) {
        if (word(g->seed + 3, n) >> (32 - p) == 0)
            g->x += 4;
    }
    w = word(g->seed, n - (g->x & ~UINT64_C(3)));
    return w;
}

// Eight lanes whose keys are equal but for a bit that is used as a mask of the output.
WORD(lanes_masked, word(g->seed, n / 8) ^ (uint32_t)(n % 8 * 0x24924924u))
WORD(lanes_added, word(g->seed, n / 8) + (uint32_t)(n % 8) * 0x9e3779b9u)
static uint32_t lanes_rotated(struct state *g)
{
    const uint64_t n = g->n;
    const uint32_t v = word(g->seed, n / 16);
    const unsigned r = (unsigned)(n % 16 * 2);
    return r ? panel_rotate32(v, r) : v;
}

WORD(lanes_multiplied, word(g->seed, n / 8) * (uint32_t)(2 * (n % 8) + 1))
// ---- packing and transport --------------------------------------------------
// 32 bits taken from a reader that goes back p bits; words of 33 - p fresh bits.
static void reader_goes_back(struct state *g)
{
    const uint64_t p = g->p, v = draw(g);
    g->x = g->x << (32 - p) | v >> (32 + p);
    push(g, (uint32_t)g->x, 32);
}

static uint32_t halves_share_bits(struct state *g)
{
    const uint64_t n = g->n, p = g->p, v = value(g->seed, n / 2);
    return (uint32_t)(n % 2 ? v >> (32 - p) : v);
}

WORD(sign_of_low_half, sometimes(g, 1u << 26) && w & 0x8000u ? w | 0xffff0000u : w)
static void telnet(struct state *g)
{
    const uint32_t v = (uint32_t)draw(g) & 255;
    push(g, v, 8);
    if (v == 255)
        push(g, 255, 8);
}

static void no_quotes(struct state *g)
{
    const uint32_t v = (uint32_t)draw(g) & 255;
    if (v != 34)
        push(g, v, 8);
}

static void nulls_ended(struct state *g)
{
    const uint32_t v = (uint32_t)draw(g) & 255;
    push(g, v, 8);
    if (!v && !(draw(g) & 15))
        push(g, 0, 8);
}

static void six_bits_of_seven(struct state *g)
{
    const uint32_t v = (uint32_t)draw(g) % 95;
    if (v < 64)
        push(g, v, 6);
}

static void stuffed_bits(struct state *g)
{
    const uint64_t p = g->p;
    const uint32_t b = (uint32_t)draw(g) & 1;
    push(g, b, 1);
    g->in = b ? g->in + 1 : 0;
    if (g->in == p) {
        push(g, 0, 1);
        g->in = 0;
    }
}

static void lost_ones_of_ten(struct state *g)
{
    const uint64_t p = g->p;
    const uint32_t b = (uint32_t)draw(g) & 1;
    g->in = b ? g->in + 1 : 0;
    if (g->in < p)
        push(g, b, 1);
    else
        g->in = 0;
}

// ---- sources of noise -------------------------------------------------------
// Bits that are exclusive ors of p biased ones (0.55).
static uint32_t biased_bits_joined(struct state *g)
{
    const uint64_t p = g->p;
    uint32_t w = 0;
    for (uint64_t b = 0; b < 32 * p; b += 4) {
        const uint64_t v = draw(g);
        for (unsigned k = 0; k < 64; k += 16)
            w ^= (uint32_t)((v >> k & 65535) < 36045) << (b / 4 * 4 + k / 16) % 32;
    }
    return w;
}

// A bit is the same as the last one a little too often (2^-p), in the stream, or at its place in
// the word.
static void sticky_bits(struct state *g)
{
    const uint64_t p = g->p;
    g->x =
        (draw(g) >> 8) < (UINT64_C(1) << 55) - (UINT64_C(1) << (55 - p)) ? !(g->x & 1) : (g->x & 1);
    push(g, g->x, 1);
}

static uint32_t sticky_words(struct state *g)
{
    const uint64_t p = g->p;
    const uint32_t w = good(g);
    const uint32_t m = seldom(g, p);
    return (w & ~m) | (recent(g, 1) & m);
}

// Two bits in four of a biased source by von Neumann's rule, read at overlapping pairs, in 1 of 2^p
// of cases.
static void von_neumann_overlaps(struct state *g)
{
    const uint64_t p = g->p, v = draw(g);
    const unsigned a = (v & 255) < 150;
    const unsigned b = (v >> 8 & 255) < 150;
    if (a != b) {
        push(g, a, 1);
        if (v >> (64 - p) == 0)
            push(g, b, 1);
    }
}

// The mains: chances swing by 2^-p with a period of 997.3 words; of 50,021 words and a half.
static uint32_t swing(struct state *g, uint32_t w, double chance)
{
    if (draw_real(g) >= fabs(chance))
        return w;
    const uint32_t m = seldom(g, g->p);
    return chance > 0 ? w | m : w & ~m;
}

static double wave(const struct state *g, double period)
{
    return sin((double)g->n * (6.283185307179586 / period));
}

WORD(hum, swing(g, w, wave(g, 997.3)))
WORD(slow_hum, swing(g, w, wave(g, 50021.5)))
WORD(hum_of_one_bit, (w & ~4096u) | (swing(g, w, wave(g, 313.7)) & 4096u))
// The chance of a one walks, bounded by 2^-p.
static uint32_t wandering_level(struct state *g)
{
    const uint64_t n = g->n;
    const uint32_t w = good(g);
    if (n % 256 == 0) {
        const int v = (int)(g->x & 255) - 128 + ((int)(draw(g) & 31) - 15);
        g->x = (uint64_t)((v < -128 ? -128 : v > 127 ? 127 : v) + 128);
    }
    const double level = ((double)(g->x & 255) - 128) / 128;
    return swing(g, w, level);
}

// Two neighbouring wires: a bit follows its left neighbour, the one before it in time, in 1 of 2^p.
static uint32_t crosstalk(struct state *g)
{
    const uint64_t n = g->n, p = g->p;
    uint32_t w = good(g);
    const uint32_t r = word(g->seed + 4, n);
    if (r >> (32 - p) == 0) {
        const uint32_t m = 1u << (r & 31);
        w = (w & ~m) | (panel_rotate32(w, 1) & m);
    }
    return w;
}

static uint32_t crosstalk_of_before(struct state *g)
{
    const uint64_t n = g->n, p = g->p;
    uint32_t w = good(g);
    const uint32_t r = word(g->seed + 4, n);
    if (r >> (32 - p) == 0) {
        const uint32_t m = 1u << (r & 31);
        w = (w & ~m) | (panel_rotate32(recent(g, 1), 7) & m);
    }
    return w;
}

// A stuck detector: runs of equal bytes, of p bytes, once in a million bytes.
static void dead_time(struct state *g)
{
    const uint64_t p = g->p, v = draw(g);
    if (g->out)
        g->out--;
    else
        g->x = v & 255;
    if (v >> 12 < UINT64_C(0x100000000))
        g->out = (unsigned)p;
    push(g, g->x & 255, 8);
}

// A word's weight is pushed towards 16: one in 2^p words of an extreme weight is drawn anew.
static uint32_t tame_weights(struct state *g)
{
    const uint64_t n = g->n, p = g->p;
    uint32_t w = good(g);
    const int k = __builtin_popcount(w);
    if ((k < 10 || k > 22) && word(g->seed + 6, n) >> (32 - p) == 0)
        w = word(g->seed + 7, n);
    return w;
}

// A repeat of the last word is suppressed; a health test that drops words which repeat within
// 1,024.
static uint32_t health_test(struct state *g)
{
    const uint64_t n = g->n;
    uint32_t w = good(g);
    for (unsigned k = 1; k <= 64; k++)
        if ((recent(g, k) & 0xffff) == (w & 0xffff)) {
            w = word(g->seed + 8, n);
            break;
        }
    return w;
}

// ---- rare and exact ---------------------------------------------------------
WORD(one_value_more, word(g->seed + 5, n) >> (32 - p) == 0 ? 0x3f800000u : w)
WORD(small_values_more, word(g->seed + 5, n) >> (32 - p) == 0 ? w & 0xffff : w)
WORD(multiples_more, word(g->seed + 5, n) >> (32 - p) == 0 ? w - w % 1000 : w)
static uint32_t no_multiples_of_257(struct state *g)
{
    uint32_t w = good(g);
    if (w % 257 == 0)
        w++;
    return w;
}

WORD(odd_products, word(g->seed + 5, n) >> (32 - p) == 0 ? w * word(g->seed + 6, n) : w)
static uint32_t palindromes(struct state *g)
{
    const uint64_t n = g->n, p = g->p;
    uint32_t w = good(g);
    if (word(g->seed + 5, n) >> (32 - p) == 0)
        for (unsigned b = 0; b < 16; b++)
            w = (w & ~(1u << b)) | (w >> (31 - b) & 1) << b;
    return w;
}

WORD(equal_bytes, word(g->seed + 5, n) >> (32 - p) == 0 ? (w & 0xff00ffffu) | (w & 0xff) << 16 : w)
WORD(sum_of_last_two, word(g->seed + 5, n) >> (32 - p) == 0 ? recent(g, 1) + recent(g, 2) : w)
WORD(product_of_last_two,
     word(g->seed + 5, n) >> (32 - p) == 0 ? recent(g, 1) * (recent(g, 2) | 1) : w)
WORD(difference_far, word(g->seed + 5, n) >> (32 - p) == 0 ? recent(g, 1) - recent(g, 1000) : w)
static uint32_t maximum_of_two(struct state *g)
{
    const uint64_t n = g->n, p = g->p;
    uint32_t w = good(g);
    if (word(g->seed + 5, n) >> (32 - p) == 0) {
        const uint32_t v = word(g->seed + 6, n);
        w = v > w ? v : w;
    }
    return w;
}

WORD(ascending, word(g->seed + 5, n) >> (32 - p) == 0 && w < recent(g, 1) ? ~w : w)
WORD(mean_of_neighbours,
     word(g->seed + 5, n) >> (32 - p) == 0 ? (recent(g, 1) >> 1) + (recent(g, 2) >> 1) : w)
WORD(and_of_far_bits,
     word(g->seed + 5, n) >> (32 - p) == 0
         ? (w & ~1u) | ((recent(g, 3) & recent(g, 5) >> 7 & recent(g, 11) >> 13) & 1)
         : w)
WORD(bit_of_three,
     word(g->seed + 5, n) >> (32 - p) == 0
         ? (w & ~256u) | ((recent(g, 2) << 3 ^ recent(g, 6) >> 9 ^ recent(g, 9) << 8) & 256)
         : w)

#define PANEL_LIST "stats/roster/plumbing.inc"
#include "stats/panel/plugin.h"
