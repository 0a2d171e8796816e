// SPDX-License-Identifier: Apache-2.0
// A good stream that was handled badly: buffers, lanes, threads, packing, transport, noise sources.

#include "stats/panel/steps.h"

#include <math.h>

// clang-format off: one flaw a line
// ---- buffers: `p` words each Of ---------------------------------------------
// 64 (of 4,096) buffers one is given out once more in place of the next.
EACH(buffer_again_64, const uint64_t b = n / p; w = word(SEED, b % 64 == 63 ? n - p : n))
EACH(buffer_again_4096, const uint64_t b = n / p; w = word(SEED, b % 4096 == 4095 ? n - p : n))
// The last word, the last three words of a buffer are the last buffer's.
EACH(stale_tail, if (n % p == p - 1 && n > 2 * p) w = word(SEED, n / p * p - 2))
EACH(stale_tail_same_place, if (n % p >= p - 3 && n > 2 * p) w = BACK(p))
// A buffer's first word is the sum of the last one's words; is what a pointer looks like.
EACH(pointer_left,
     if (n % p == p - 1) w = n / p % 2 ? 0x00007ffdu : (w & 0x00ffffc0u) | 0x3b000000u)
EACH(low_pointer_bits, if (n % p == p - 1) w &= ~15u)
// A 64-bit word read in two: the half is that of the word before, in p of 2^32 cases.
EACH(torn_read, if (n % 2 && n > 2 && sometimes(g, (uint32_t)p)) w = word(SEED, n - 2))
// One sector of 128 words in 2^20 is the one before it, or the one after it 2^20 before.
EACH(sector_again, w = word(SEED, (n & 0xfffff) >> 7 == 5 && n > 128 ? n - 128 : n))
EACH(sector_again_far,
     w = word(SEED, (n & 0xfffff) >> 7 == 5 && n > 0xfffff ? n - 0x100000 + 128 : n))
EACH(sector_again_once, w = word(SEED, n >> 7 == 100000 ? n - 128 * 77777 : n))
// Words in tables of 33 by 32 read with the wrong pitch: one in 32 twice.
EACH(wrong_pitch, const uint64_t t = n / 1024; const uint64_t r = n % 1024 / 32;
     const uint64_t c = n % 32; w = word(SEED, t * 1024 + (c == 31 && r ? 30 : c) * 32 + r))
// ---- lanes and threads ------------------------------------------------------
// 32 lanes of one sequence, each p behind its neighbour.
EACH(lanes_delayed, w = word(SEED, n / 32 + n % 32 * p))
// 1,024 engines that start one value apart; each gives k values at a time.
EACH(engines_one_apart, const uint64_t in = n % p; const uint64_t engine = n / p % 1024;
     const uint64_t turn = n / p / 1024; w = word(SEED, engine + turn * p + in))
// Eight threads take 4,096 words in turn; they start 2^p words apart and run into each other.
EACH(threads_run_over, const uint64_t page = n / 4096;
     w = word(SEED, ((page % 8) << p) + page / 8 * 4096 + n % 4096))
// One of p threads, 64 words in turn, has the seed of another.
EACH(two_threads_alike, const uint64_t turn = n / 64; const uint64_t t = turn % p;
     w = word(SEED + (t == 700 % p ? 13 % p : t), turn / p * 64 + n % 64))
// The same, but a bit of the words is different.
EACH(two_threads_alike_but_a_bit, const uint64_t turn = n / 64; const uint64_t t = turn % p;
     w = word(SEED + (t == 700 % p ? 13 % p : t), turn / p * 64 + n % 64) ^
         (t == 700 % p ? 0x400u : 0))
// An update lost now and then: four words come again at once (in 1 of 2^p).
EACH(
    lost_update, if (n % 4 == 0 && n) {
        if (word(SEED + 3, n) >> (32 - p) == 0)
            g->x += 4;
    } w = word(SEED, n - (g->x & ~UINT64_C(3))))
// Eight lanes whose keys are equal but for a bit that is used as a mask of the output.
EACH(lanes_masked, w = word(SEED, n / 8) ^ (uint32_t)(n % 8 * 0x24924924u))
EACH(lanes_added, w = word(SEED, n / 8) + (uint32_t)(n % 8) * 0x9e3779b9u)
EACH(lanes_rotated, const uint32_t v = word(SEED, n / 16);
     const unsigned r = (unsigned)(n % 16 * 2); w = r ? panel_rotate32(v, r) : v)
EACH(lanes_multiplied, w = word(SEED, n / 8) * (uint32_t)(2 * (n % 8) + 1))
// ---- packing and transport --------------------------------------------------
// 32 bits taken from a reader that goes back p bits; words of 33 - p fresh bits.
BITS(reader_goes_back, const uint64_t v = draw(g); g->x = g->x << (32 - p) | v >> (32 + p);
     push(g, (uint32_t)g->x, 32))
EACH(halves_share_bits, const uint64_t v = value(SEED, n / 2);
     w = (uint32_t)(n % 2 ? v >> (32 - p) : v))
EACH(sign_of_low_half, if (sometimes(g, 1u << 26) && w & 0x8000u) w |= 0xffff0000u)
BITS(telnet, const uint32_t v = (uint32_t)draw(g) & 255; push(g, v, 8);
     if (v == 255) push(g, 255, 8))
BITS(no_quotes, const uint32_t v = (uint32_t)draw(g) & 255; if (v != 34) push(g, v, 8))
BITS(nulls_ended, const uint32_t v = (uint32_t)draw(g) & 255; push(g, v, 8);
     if (!v && !(draw(g) & 15)) push(g, 0, 8))
BITS(six_bits_of_seven, const uint32_t v = (uint32_t)draw(g) % 95; if (v < 64) push(g, v, 6))
BITS(
    stuffed_bits, const uint32_t b = (uint32_t)draw(g) & 1; push(g, b, 1);
    g->in = b ? g->in + 1 : 0; if (g->in == p) {
        push(g, 0, 1);
        g->in = 0;
    })
BITS(lost_ones_of_ten, const uint32_t b = (uint32_t)draw(g) & 1; g->in = b ? g->in + 1 : 0;
     if (g->in < p) push(g, b, 1); else g->in = 0)
// ---- sources of noise -------------------------------------------------------
// Bits that are exclusive ors of p biased ones (0.55).
EACH(
    biased_bits_joined, w = 0; for (uint64_t b = 0; b < 32 * p; b += 4) {
        const uint64_t v = draw(g);
        for (unsigned k = 0; k < 64; k += 16)
            w ^= (uint32_t)((v >> k & 65535) < 36045) << (b / 4 * 4 + k / 16) % 32;
    })
// A bit is the same as the last one a little too often (2^-p), in the stream, or at its place in
// the word.
BITS(sticky_bits, g->x = (draw(g) >> 8) < (UINT64_C(1) << 55) - (UINT64_C(1) << (55 - p))
                             ? !(g->x & 1)
                             : (g->x & 1);
     push(g, g->x, 1))
EACH(sticky_words, const uint32_t m = seldom(g, p); w = (w & ~m) | (BACK(1) & m))
// Two bits in four of a biased source by von Neumann's rule, read at overlapping pairs, in 1 of 2^p
// of cases.
BITS(
    von_neumann_overlaps, const uint64_t v = draw(g); const unsigned a = (v & 255) < 150;
    const unsigned b = (v >> 8 & 255) < 150; if (a != b) {
        push(g, a, 1);
        if (v >> (64 - p) == 0)
            push(g, b, 1);
    })
// The mains: chances swing by 2^-p with a period of 997.3 words; of 50,021 words and a half.
#define SWING(s)                                                                                   \
    if (draw_real(g) < fabs(s)) {                                                                  \
        const uint32_t m = seldom(g, p);                                                           \
        w = (s) > 0 ? w | m : w & ~m;                                                              \
    }
EACH(hum, const double s = sin((double)n * (6.283185307179586 / 997.3)); SWING(s))
EACH(slow_hum, const double s = sin((double)n * (6.283185307179586 / 50021.5)); SWING(s))
EACH(hum_of_one_bit, const double s = sin((double)n * (6.283185307179586 / 313.7));
     const uint32_t kept = w; SWING(s); w = (kept & ~4096u) | (w & 4096u))
// The chance of a one walks, bounded by 2^-p.
EACH(
    wandering_level,
    if (n % 256 == 0) {
        const int v = (int)(g->x & 255) - 128 + ((int)(draw(g) & 31) - 15);
        g->x = (uint64_t)((v < -128 ? -128 : v > 127 ? 127 : v) + 128);
    } const double level = ((double)(g->x & 255) - 128) / 128;
    SWING(level))
// Two neighbouring wires: a bit follows its left neighbour, the one before it in time, in 1 of 2^p.
EACH(
    crosstalk, const uint32_t r = word(SEED + 4, n); if (r >> (32 - p) == 0) {
        const uint32_t m = 1u << (r & 31);
        w = (w & ~m) | (panel_rotate32(w, 1) & m);
    })
EACH(
    crosstalk_of_before, const uint32_t r = word(SEED + 4, n); if (r >> (32 - p) == 0) {
        const uint32_t m = 1u << (r & 31);
        w = (w & ~m) | (panel_rotate32(BACK(1), 7) & m);
    })
// A stuck detector: runs of equal bytes, of p bytes, once in a million bytes.
BITS(dead_time, const uint64_t v = draw(g); if (g->out) g->out--; else g->x = v & 255;
     if (v >> 12 < UINT64_C(0x100000000)) g->out = (unsigned)p; push(g, g->x & 255, 8))
// A word's weight is pushed towards 16: one in 2^p words of an extreme weight is drawn anew.
EACH(tame_weights, const int k = __builtin_popcount(w);
     if ((k < 10 || k > 22) && word(SEED + 6, n) >> (32 - p) == 0) w = word(SEED + 7, n))
// A repeat of the last word is suppressed; a health test that drops words which repeat within
// 1,024.
EACH(
    health_test, for (unsigned k = 1; k <= 64; k++) if ((BACK(k) & 0xffff) == (w & 0xffff)) {
        w = word(SEED + 8, n);
        break;
    })
// ---- rare and exact ---------------------------------------------------------
EACH(one_value_more, if (word(SEED + 5, n) >> (32 - p) == 0) w = 0x3f800000u)
EACH(small_values_more, if (word(SEED + 5, n) >> (32 - p) == 0) w &= 0xffff)
EACH(multiples_more, if (word(SEED + 5, n) >> (32 - p) == 0) w -= w % 1000)
EACH(no_multiples_of_257, if (w % 257 == 0) w++)
EACH(odd_products, if (word(SEED + 5, n) >> (32 - p) == 0) w *= word(SEED + 6, n))
EACH(palindromes, if (word(SEED + 5, n) >> (32 - p) == 0) for (unsigned b = 0; b < 16; b++)
                      w = (w & ~(1u << b)) | (w >> (31 - b) & 1) << b)
EACH(equal_bytes, if (word(SEED + 5, n) >> (32 - p) == 0) w = (w & 0xff00ffffu) | (w & 0xff) << 16)
EACH(sum_of_last_two, if (word(SEED + 5, n) >> (32 - p) == 0) w = BACK(1) + BACK(2))
EACH(product_of_last_two, if (word(SEED + 5, n) >> (32 - p) == 0) w = BACK(1) * (BACK(2) | 1))
EACH(difference_far, if (word(SEED + 5, n) >> (32 - p) == 0) w = BACK(1) - BACK(1000))
EACH(
    maximum_of_two, if (word(SEED + 5, n) >> (32 - p) == 0) {
        const uint32_t v = word(SEED + 6, n);
        w = v > w ? v : w;
    })
EACH(ascending, if (word(SEED + 5, n) >> (32 - p) == 0 && w < BACK(1)) w = ~w)
EACH(mean_of_neighbours,
     if (word(SEED + 5, n) >> (32 - p) == 0) w = (BACK(1) >> 1) + (BACK(2) >> 1))
EACH(and_of_far_bits, if (word(SEED + 5, n) >> (32 - p) == 0)
                          w = (w & ~1u) | ((BACK(3) & BACK(5) >> 7 & BACK(11) >> 13) & 1))
EACH(bit_of_three, if (word(SEED + 5, n) >> (32 - p) == 0)
                       w = (w & ~256u) | ((BACK(2) << 3 ^ BACK(6) >> 9 ^ BACK(9) << 8) & 256))
// clang-format on

const struct panel_generator panel_generators[] = {
    WITH(buffer_again_64, 1024),
    WITH(buffer_again_64, 1000),
    WITH(buffer_again_4096, 64),
    WITH(buffer_again_4096, 4000),
    WITH(stale_tail, 256),
    WITH(stale_tail, 65536),
    WITH(stale_tail_same_place, 1000),
    WITH(stale_tail_same_place, 30011),
    WITH(pointer_left, 4096),
    WITH(pointer_left, 1000000),
    WITH(low_pointer_bits, 1000),
    WITH(low_pointer_bits, 100000),
    WITH(torn_read, 16777216),
    WITH(torn_read, 65536),
    ONE(sector_again),
    ONE(sector_again_far),
    ONE(sector_again_once),
    ONE(wrong_pitch),
    WITH(lanes_delayed, 5),
    WITH(lanes_delayed, 1009),
    WITH(lanes_delayed, 100003),
    WITH(engines_one_apart, 2),
    WITH(engines_one_apart, 4),
    WITH(threads_run_over, 19),
    WITH(threads_run_over, 23),
    WITH(two_threads_alike, 16),
    WITH(two_threads_alike, 1024),
    WITH(two_threads_alike, 65536),
    WITH(two_threads_alike_but_a_bit, 1024),
    WITH(lost_update, 12),
    WITH(lost_update, 20),
    ONE(lanes_masked),
    ONE(lanes_added),
    ONE(lanes_rotated),
    ONE(lanes_multiplied),
    WITH(reader_goes_back, 1),
    WITH(reader_goes_back, 11),
    WITH(halves_share_bits, 1),
    WITH(halves_share_bits, 11),
    ONE(sign_of_low_half),
    ONE(telnet),
    ONE(no_quotes),
    ONE(nulls_ended),
    ONE(six_bits_of_seven),
    WITH(stuffed_bits, 6),
    WITH(stuffed_bits, 20),
    WITH(lost_ones_of_ten, 10),
    WITH(lost_ones_of_ten, 20),
    WITH(biased_bits_joined, 2),
    WITH(biased_bits_joined, 4),
    WITH(sticky_bits, 8),
    WITH(sticky_bits, 13),
    WITH(sticky_words, 8),
    WITH(sticky_words, 13),
    WITH(von_neumann_overlaps, 8),
    WITH(hum, 9),
    WITH(hum, 12),
    WITH(slow_hum, 9),
    WITH(slow_hum, 12),
    WITH(hum_of_one_bit, 6),
    WITH(hum_of_one_bit, 9),
    WITH(wandering_level, 6),
    WITH(wandering_level, 8),
    WITH(crosstalk, 6),
    WITH(crosstalk, 9),
    WITH(crosstalk_of_before, 6),
    WITH(crosstalk_of_before, 9),
    WITH(dead_time, 8),
    WITH(dead_time, 64),
    WITH(tame_weights, 1),
    WITH(tame_weights, 4),
    ONE(health_test),
    WITH(one_value_more, 16),
    WITH(one_value_more, 22),
    WITH(small_values_more, 14),
    WITH(multiples_more, 8),
    WITH(multiples_more, 12),
    ONE(no_multiples_of_257),
    WITH(odd_products, 8),
    WITH(odd_products, 12),
    WITH(palindromes, 8),
    WITH(palindromes, 12),
    WITH(equal_bytes, 8),
    WITH(equal_bytes, 12),
    WITH(sum_of_last_two, 10),
    WITH(sum_of_last_two, 16),
    WITH(product_of_last_two, 6),
    WITH(product_of_last_two, 10),
    WITH(difference_far, 6),
    WITH(difference_far, 12),
    WITH(maximum_of_two, 8),
    WITH(maximum_of_two, 12),
    WITH(ascending, 8),
    WITH(ascending, 11),
    WITH(mean_of_neighbours, 8),
    WITH(mean_of_neighbours, 11),
    WITH(and_of_far_bits, 3),
    WITH(and_of_far_bits, 7),
    WITH(bit_of_three, 3),
    WITH(bit_of_three, 7),
};
const unsigned panel_generator_count = sizeof panel_generators / sizeof *panel_generators;

#include "stats/panel/plugin.h"
