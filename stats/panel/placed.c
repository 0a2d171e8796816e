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

// clang-format off: one flaw a line
// ---- lanes and every k-th word ----------------------------------------------
EACH(kth_is_counter, if (n % p == p - 1) w = (uint32_t)(n / p))
EACH(kth_is_congruential,
     if (n % p == p - 1) w = g->small[0] = g->small[0] * 1664525u + 1013904223u)
EACH(kth_is_xorshift, if (n % p == p - 1) w = xorshift32(&g->small[0]))
EACH(kth_is_congruential64,
     if (n % p == p - 1) w = (uint32_t)((g->x = g->x * UINT64_C(6364136223846793005) + 1) >> 32))
EACH(kth_has_16_bits, if (n % p == p - 1) w = word(SEED, w & 0xffff))
EACH(kth_is_neighbour, if (n % p == p - 1) w = BACK(1))
EACH(kth_is_first, if (n % p == p - 1) w = BACK(p - 1))
EACH(lane_of_other_block, if (n % 8 == 5) w = n >= 11 ? word(SEED, n / 8 * 8 - 4) : w)
EACH(kth_bit_is_biased, if (n % p == p - 1 && sometimes(g, 1u << 28)) w |= 1u << 13)
EACH(kth_low_bits_of_time, if (n % p == p - 1) w = (w & ~255u) | (uint32_t)(n / p & 255))
// ---- blocks -----------------------------------------------------------------
EACH(checksum, if (n % p == 0) g->small[1] = 0; if (n % p == p - 1) w = g->small[1];
     else g->small[1] ^= w)
EACH(sum_is_zero, if (n % p == 0) g->small[1] = 0; if (n % p == p - 1) w = 0 - g->small[1];
     else g->small[1] += w)
EACH(header, if (n % 4096 < 2) w = n % 2 ? 0x46464952u : 0x61746164u)
EACH(block_once_more, w = word(SEED, n % 65536 < 512 && n >= 1000000 ? n - 777777 : n))
EACH(eight_words_again, w = word(SEED, n % 4096 < 8 && n > 2000000 ? n - 1000003 : n))
EACH(two_words_again, w = word(SEED, n % 1024 < 2 && n > 2000000 ? n - 1000002 : n))
EACH(word_again, if (n % 256 == 77 && n > 400000) w = word(SEED, n - 300007))
EACH(word_again_somewhere,
     if (n % 1024 == 77 && n > 400000) w = word(SEED, n - 1 - (uint64_t)word(SEED + 1, n) % 400000))
EACH(bit_again, if (sometimes(g, 1u << 28)) w = (w & ~1u) | (word(SEED, n - 50021) & 1))
EACH(bit_again_of_other, if (sometimes(g, 1u << 28)) w = (w & ~2u) | (word(SEED, n - 53) >> 20 & 2))
EACH(reversed_again, if (n % 64 == 0) w = reversed(BACK(5)))
EACH(bytes_again, if (n % 64 == 0) w = __builtin_bswap32(BACK(7)))
EACH(negative_again, if (sometimes(g, 1u << 24)) w = 0 - BACK(100))
EACH(triple_again, if (sometimes(g, 1u << 24)) w = 3 * BACK(1))
EACH(square_again, if (sometimes(g, 1u << 24)) w = BACK(1) * BACK(1))
EACH(product_of_two, if (sometimes(g, 1u << 26)) w = BACK(1) * BACK(2))
EACH(and_of_two, if (sometimes(g, 1u << 23)) w = BACK(1) & BACK(2))
EACH(
    majority, if (sometimes(g, 1u << 27)) {
        const uint32_t m = (BACK(1) & BACK(2)) | (BACK(2) & BACK(3)) | (BACK(1) & BACK(3));
        w = (w & ~(1u << 30)) | (m & 1u << 30);
    })
EACH(parity_of_37, uint32_t s = 0; for (unsigned k = 1; k <= 37; k++) s ^= BACK(k);
     w = (w & ~1u) | (s & 1))
EACH(parity_far, w = (w & ~1u) | ((BACK(9001) ^ BACK(20011) ^ BACK(31337)) & 1))
EACH(parity_of_two_far, if (sometimes(g, 1u << 30)) w = BACK(17001) ^ BACK(44497))
EACH(three_term, if (n > 0x1ffff) w = BACK(p) ^ BACK(p / 2 + 1))
EACH(three_term_sum, if (n > 0x1ffff) w = BACK(p) + BACK(p / 2 + 1))
EACH(parity_in_word, if (sometimes(g, 1u << 27)) w ^= (uint32_t)__builtin_parity(w))
EACH(parity_of_mask, w = (w & ~(1u << 27)) | (uint32_t)__builtin_parity(w & 0x10842109u) << 27)
EACH(no_float_nans, if ((w >> 23 & 255) == 255) w ^= 1u << 30)
EACH(decimal, w = (uint32_t)((uint64_t)(w % 1000000000u) * 4294967296u / 1000000000u))
EACH(low_bits_of_high,
     if (sometimes(g, 1u << 25)) w = (w & 0xffff0000u) | ((w >> 16) * 40503u & 0xffff))
EACH(signs_alike, if (sometimes(g, 1u << 25)) w = (w & 0x7fffffffu) | (BACK(1) & 0x80000000u))
EACH(equal_pairs_avoided, if (w >> 22 == BACK(1) >> 22) w = word(SEED + 1, n))
EACH(
    zeros_in_runs, if (sometimes(g, 1u << 10)) g->held = 3; if (g->held) {
        w = 0;
        g->held--;
    })
EACH(bytes_avoid_previous,
     for (int b = 0; b < 32; b += 8) if ((w >> b & 255) == (BACK(1) >> b & 255)) w ^= 1u << b)
// A newline (10) turned into a carriage return and a newline (13, 10): the stream went through a
// file in text mode.
EACH(
    text_mode,
    while (g->held < 32) {
        const uint32_t b = word(SEED + 5, g->x++) & 255;
        if (b == 10) {
            g->pending |= UINT64_C(13) << g->held;
            g->held += 8;
        }
        g->pending |= (uint64_t)b << g->held;
        g->held += 8;
    } w = (uint32_t)g->pending;
    g->pending >>= 32; g->held -= 32)
// A good shuffle that may not leave a card in its place (Sattolo's), 16 nibbles.
EACH(
    sattolo, if (n % 2 == 0) {
        unsigned char deck[16];
        for (unsigned k = 0; k < 16; k++)
            deck[k] = (unsigned char)k;
        for (unsigned k = 15; k > 0; k--) {
            const unsigned j = (unsigned)((uint64_t)word(SEED, n * 16 + k) * k >> 32);
            const unsigned char t = deck[k];
            deck[k] = deck[j];
            deck[j] = t;
        }
        g->pending = 0;
        for (unsigned k = 0; k < 16; k++)
            g->pending = g->pending << 4 | deck[k];
    } w = (uint32_t)(g->pending >> (n % 2 ? 32 : 0)))
// ---- time -------------------------------------------------------------------
EACH(slow_drift, if (word(SEED + 9, n) < n >> 9) w |= 1u << 22)
EACH(slow_wave, if (sometimes(g, 1u << 22)) w = n >> 22 & 1 ? w | 1u << 9 : w & ~(1u << 9))
EACH(uncertain_level, if (n % 4096 == 0) g->held = word(SEED + 2, n) & 1;
     if (sometimes(g, 1u << 24)) w = g->held ? w | 4 : w & ~4u)
EACH(late_stuck, if (n >> p && n % 64 == 0) w |= 8)
EACH(late_echo, if (n >> p && n % 64 == 0) w = (w & ~1u) | (BACK(1) & 1))
EACH(late_bias, if (n >> p && sometimes(g, 1u << 22)) w |= 1u << 5)
EACH(late_counter, if (n >> p) w = (uint32_t)n * 2654435761u)
EACH(once_a_counter, if (n >= 100000000 && n < 100065536) w = (uint32_t)n)
EACH(once_zeros, if (n >= 123456789 && n < 123456789 + 64) w = 0)
EACH(seldom_a_counter, if ((n & 0xffffff) < 1024) w = (uint32_t)n)
EACH(every_2_24_the_same, w = word(SEED, (n & 0xffffff) < 16 ? n & 0xffffff : n))
EACH(first_words_again, w = word(SEED, n >= 300000000 && n < 300004096 ? n - 300000000 : n))
// ---- kin --------------------------------------------------------------------
EACH(antithetic, if (n & 1) w = 0 - BACK(1))
EACH(antithetic_far, if (n >> 6 & 1) w = ~BACK(64))
EACH(kin_reversed, if (n & 1) w = reversed(word(SEED, (n - 1) - 2000)))
EACH(kin_one_bit_in_ten, if (n & 1 && sometimes(g, 1u << 25))
                             w = (w & ~0x01010101u) | (word(SEED, n - 1 - 64) & 0x01010101u))
EACH(kin_of_sixteen,
     if (n % 16 == 11 && sometimes(g, 1u << 26)) w = (w & ~1u) | (word(SEED, n - 11 + 2) & 1))
// Pages of 4,096 words from seeds that are rounded to floats: neighbours get the same.
EACH(seeds_as_floats, const float f = (float)(16777216 * 3 + n / 4096);
     w = word(SEED ^ (uint64_t)f, n % 4096))
// Pages from 24-bit seeds that are drawn.
EACH(seeds_of_24_bits, w = word(word(SEED, n / 4096) >> 8, n % 4096))
// Children whose keys are words that their parent gives out as well.
EACH(children_in_parent, const uint64_t page = n / 256, in = n % 256, parent = page / 8;
     const uint64_t key = (uint64_t)word(SEED ^ parent, 1000 + page % 8 * 2) << 32 |
                          word(SEED ^ parent, 1001 + page % 8 * 2);
     w = in < 2      ? (uint32_t)(in ? key : key >> 32)
         : in >= 240 ? word(SEED ^ page, 1000 + in - 240)
                     : word(key, in))
// The first output of Mersenne Twister under seeds 0, 1, 2, ... and under those seeds in the high
// half.
EACH(twister_first_outputs, if (n % TWISTERS == 0) twister_firsts((uint32_t)n, 0, g->small);
     w = g->small[n % TWISTERS])
EACH(twister_first_outputs_high, if (n % TWISTERS == 0) twister_firsts((uint32_t)n, 16, g->small);
     w = g->small[n % TWISTERS])
// 64 streams of PCG32 that differ in their increments 1, 3, 5, ... alone, one word of each in turn.
EACH(pcg_close_streams, const uint64_t s = n % 64;
     uint64_t *const x = (uint64_t *)(void *)(g->recent + (1 << 16)) + s;
     if (n < 64) *x = 0x853c49e6748fea9bu; const uint64_t old = *x;
     *x = old * UINT64_C(6364136223846793005) + (2 * s + 1);
     const uint32_t v = (uint32_t)((old >> 18 ^ old) >> 27);
     const unsigned r = (unsigned)(old >> 59); w = v >> r | v << (-r & 31); to[i] = w; continue)
// splitmix64 under increments 1, 3, 5, ..., eight words of each.
EACH(small_increments, const uint64_t step = 2 * (n / 8) + 1;
     uint64_t z = SEED + step * (n % 8 + 1); z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
     z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb); w = (uint32_t)((z ^ z >> 31) >> 32))
// clang-format on

const struct panel_generator panel_generators[] = {
    WITH(kth_is_counter, 97),
    WITH(kth_is_counter, 65537),
    WITH(kth_is_counter, 1000003),
    WITH(kth_is_congruential, 13),
    WITH(kth_is_congruential, 101),
    WITH(kth_is_congruential, 1009),
    WITH(kth_is_xorshift, 12),
    WITH(kth_is_xorshift, 31),
    WITH(kth_is_xorshift, 257),
    WITH(kth_is_congruential64, 24),
    WITH(kth_has_16_bits, 64),
    WITH(kth_has_16_bits, 1001),
    WITH(kth_is_neighbour, 1021),
    WITH(kth_is_neighbour, 100003),
    WITH(kth_is_first, 509),
    ONE(lane_of_other_block),
    WITH(kth_bit_is_biased, 11),
    WITH(kth_bit_is_biased, 97),
    WITH(kth_low_bits_of_time, 4099),
    WITH(checksum, 16),
    WITH(checksum, 64),
    WITH(checksum, 100),
    WITH(checksum, 1000),
    WITH(sum_is_zero, 5),
    WITH(sum_is_zero, 32),
    WITH(sum_is_zero, 1000),
    ONE(header),
    ONE(block_once_more),
    ONE(eight_words_again),
    ONE(two_words_again),
    ONE(word_again),
    ONE(word_again_somewhere),
    ONE(bit_again),
    ONE(bit_again_of_other),
    ONE(reversed_again),
    ONE(bytes_again),
    ONE(negative_again),
    ONE(triple_again),
    ONE(square_again),
    ONE(product_of_two),
    ONE(and_of_two),
    ONE(majority),
    ONE(parity_of_37),
    ONE(parity_far),
    ONE(parity_of_two_far),
    WITH(three_term, 9689),
    WITH(three_term, 44497),
    WITH(three_term, 110503),
    WITH(three_term_sum, 9689),
    WITH(three_term_sum, 44497),
    ONE(parity_in_word),
    ONE(parity_of_mask),
    ONE(no_float_nans),
    ONE(decimal),
    ONE(low_bits_of_high),
    ONE(signs_alike),
    ONE(equal_pairs_avoided),
    ONE(zeros_in_runs),
    ONE(bytes_avoid_previous),
    ONE(text_mode),
    ONE(sattolo),
    ONE(slow_drift),
    ONE(slow_wave),
    ONE(uncertain_level),
    WITH(late_stuck, 28),
    WITH(late_echo, 28),
    WITH(late_bias, 28),
    WITH(late_counter, 29),
    ONE(once_a_counter),
    ONE(once_zeros),
    ONE(seldom_a_counter),
    ONE(every_2_24_the_same),
    ONE(first_words_again),
    ONE(antithetic),
    ONE(antithetic_far),
    ONE(kin_reversed),
    ONE(kin_one_bit_in_ten),
    ONE(kin_of_sixteen),
    ONE(seeds_as_floats),
    ONE(seeds_of_24_bits),
    ONE(children_in_parent),
    ONE(twister_first_outputs),
    ONE(twister_first_outputs_high),
    ONE(pcg_close_streams),
    ONE(small_increments),
};
const unsigned panel_generator_count = sizeof panel_generators / sizeof *panel_generators;

#include "stats/panel/plugin.h"
