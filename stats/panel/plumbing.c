// SPDX-License-Identifier: Apache-2.0
// A good stream that was handled badly: buffers, lanes, threads, packing, transport, noise sources.

#include "stats/panel/steps.h"

#include <math.h>

// One word in 2^p.
static bool rarely(const struct state *g, uint64_t stream)
{
    return word(g->seed + stream, g->n) >> (32 - g->p) == 0;
}

// ---- buffers: `p` words each ------------------------------------------------
// Of 64 (of 4,096) buffers one is given out once more in place of the next.
WORD(buffer_again_64, word(g->seed, n / p % 64 == 63 ? n - p : n))
WORD(buffer_again_4096, word(g->seed, n / p % 4096 == 4095 ? n - p : n))
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
WORD(engines_one_apart, word(g->seed, n / p % 1024 + n / p / 1024 * p + n % p))
// Eight threads take 4,096 words in turn; they start 2^p words apart and run into each other.
WORD(threads_run_over, word(g->seed, (n / 4096 % 8 << p) + n / 32768 * 4096 + n % 4096))
// One of p threads, 64 words in turn, has the seed of another.
static bool is_twin(uint64_t n, uint64_t p)
{
    return n / 64 % p == 700 % p;
}
WORD(two_threads_alike,
     word(g->seed + (is_twin(n, p) ? 13 % p : n / 64 % p), n / 64 / p * 64 + n % 64))
// The same, but a bit of the words is different.
WORD(two_threads_alike_but_a_bit, two_threads_alike(g) ^ (is_twin(n, p) ? 0x400u : 0))
// An update lost now and then: four words come again at once (in 1 of 2^p).
static uint32_t lost_update(struct state *g)
{
    if (g->n % 4 == 0 && g->n && rarely(g, 3))
        g->x += 4;
    return word(g->seed, g->n - (g->x & ~UINT64_C(3)));
}

// Eight lanes whose keys are equal but for a bit that is used as a mask of the output.
WORD(lanes_masked, word(g->seed, n / 8) ^ (uint32_t)(n % 8 * 0x24924924u))
WORD(lanes_added, word(g->seed, n / 8) + (uint32_t)(n % 8) * 0x9e3779b9u)
WORD(lanes_rotated, panel_turn32(word(g->seed, n / 16), -(n % 16 * 2)))
WORD(lanes_multiplied, word(g->seed, n / 8) * (uint32_t)(2 * (n % 8) + 1))
// ---- packing and transport --------------------------------------------------
// 32 bits taken from a reader that goes back p bits; words of 33 - p fresh bits.
static void reader_goes_back(struct state *g)
{
    const uint64_t p = g->p, v = draw(g);
    g->x = g->x << (32 - p) | v >> (32 + p);
    push(g, (uint32_t)g->x, 32);
}

WORD(halves_share_bits, value(g->seed, n / 2) >> (n % 2 ? 32 - p : 0))
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

BITS(six_bits_of_seven, 6, (uint32_t)draw(g) % 95)

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

// Mains hum: the chance of a one swings by 2^-p, with a period of 997.3 words, or of 50,021.5.
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
        const int v = (int)(g->x & 255) + (int)(draw(g) & 31) - 15;
        g->x = (uint64_t)(v < 0 ? 0 : v > 255 ? 255 : v);
    }
    const double level = ((double)(g->x & 255) - 128) / 128;
    return swing(g, w, level);
}

// Two neighbouring wires: a bit follows its left neighbour, the one before it in time, in 1 of 2^p.
static uint32_t crossed(const struct state *g, uint32_t w, uint32_t from)
{
    const uint32_t m = rarely(g, 4) ? 1u << (word(g->seed + 4, g->n) & 31) : 0;
    return (w & ~m) | (from & m);
}
WORD(crosstalk, crossed(g, w, panel_rotate32(w, 1)))
WORD(crosstalk_of_before, crossed(g, w, panel_rotate32(recent(g, 1), 7)))

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
static bool is_extreme(uint32_t w)
{
    const int k = __builtin_popcount(w);
    return k < 10 || k > 22;
}
WORD(tame_weights, is_extreme(w) && rarely(g, 6) ? word(g->seed + 7, n) : w)

// A repeat of the last word is suppressed; a health test that drops words which repeat within
// 1,024.
static uint32_t health_test(struct state *g)
{
    const uint32_t w = good(g);
    for (unsigned k = 1; k <= 64; k++)
        if ((recent(g, k) & 0xffff) == (w & 0xffff))
            return word(g->seed + 8, g->n);
    return w;
}

// ---- rare and exact ---------------------------------------------------------
WORD(one_value_more, rarely(g, 5) ? 0x3f800000u : w)
WORD(small_values_more, rarely(g, 5) ? w & 0xffff : w)
WORD(multiples_more, rarely(g, 5) ? w - w % 1000 : w)
WORD(no_multiples_of_257, w + (w % 257 == 0))
WORD(odd_products, rarely(g, 5) ? w *word(g->seed + 6, n) : w)
static uint32_t palindrome(uint32_t w)
{
    for (unsigned b = 0; b < 16; b++)
        w = (w & ~(1u << b)) | (w >> (31 - b) & 1) << b;
    return w;
}
WORD(palindromes, rarely(g, 5) ? palindrome(w) : w)
WORD(equal_bytes, rarely(g, 5) ? (w & 0xff00ffffu) | (w & 0xff) << 16 : w)
WORD(sum_of_last_two, rarely(g, 5) ? recent(g, 1) + recent(g, 2) : w)
WORD(product_of_last_two, rarely(g, 5) ? recent(g, 1) * (recent(g, 2) | 1) : w)
WORD(difference_far, rarely(g, 5) ? recent(g, 1) - recent(g, 1000) : w)
WORD(maximum_of_two, rarely(g, 5) && word(g->seed + 6, n) > w ? word(g->seed + 6, n) : w)
WORD(ascending, rarely(g, 5) && w < recent(g, 1) ? ~w : w)
WORD(mean_of_neighbours, rarely(g, 5) ? (recent(g, 1) >> 1) + (recent(g, 2) >> 1) : w)
WORD(and_of_far_bits,
     rarely(g, 5) ? (w & ~1u) | ((recent(g, 3) & recent(g, 5) >> 7 & recent(g, 11) >> 13) & 1) : w)
WORD(bit_of_three,
     rarely(g, 5)
         ? (w & ~256u) | ((recent(g, 2) << 3 ^ recent(g, 6) >> 9 ^ recent(g, 9) << 8) & 256)
         : w)

#define PANEL_LIST "stats/roster/plumbing.inc"
#include "stats/panel/plugin.h"
