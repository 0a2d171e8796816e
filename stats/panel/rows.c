// SPDX-License-Identifier: Apache-2.0
// A good stream that is written in rows, tiles and calls of any length, or in which something comes
// from far before.

#include "stats/panel/steps.h"

// clang-format off: one flaw a line
// One word of a row of p has a bit that is stuck, a bit that is one three times in four, a byte of
// zeros.
EACH(word_of_row, if (n % p == 17) w |= 1u << 13)
EACH(word_of_row_uneven, if (n % p == 17) w |= word(~SEED, n) & 1u << 13)
EACH(word_of_row_short, if (n % p == 17) w &= ~0xffu)
// Bit 13 is bit 5 of the word p before; the low byte is its high one; in one word of 64 it comes
// again, turned, or nearly so.
EACH(bit_of_far_word, w = (w & ~(1u << 13)) | (BACK(p) & 1u << 5) << 8)
EACH(byte_of_far_word, w = (w & ~0xffu) | BACK(p) >> 24)
EACH(far_word_turned, if (n % 64 == 9) w = BACK(p) << 7 | BACK(p) >> 25)
EACH(far_word_negative, if (n % 32 == 9) w = 0 - BACK(p))
// The last word of a call of p is its first; the last three are the first ones of the stream.
EACH(ring_of_words, if (n % p == p - 1) w = word(SEED, n - (p - 1)))
EACH(tail_from_start, if (n % p >= p - 3) w = word(SEED, n % p - (p - 3)))
// A block in 2^18 is one that was made 24,999 blocks before.
EACH(block_from_cache, if (n >= p && word(~SEED, n / 4) < 1u << 14) w = word(SEED, n - p))
// A tile of p words begins four words before the last one's end; a call of p gives back what is
// over a multiple of four.
EACH(tiles_overlap, w = word(SEED, n - n / p * 4))
EACH(call_goes_back, w = word(SEED, n - n / p * (p % 4)))
// The sixth of eight lanes counts its blocks in p bits.
EACH(lane_without_carry, w = word(SEED, n / 4 % 8 == 5 ? n & ((UINT64_C(4) << p) - 1) : n))
// clang-format on

const struct panel_generator panel_generators[] = {
    WITH(word_of_row, 1000),       WITH(word_of_row, 3001),       WITH(word_of_row_uneven, 375),
    WITH(word_of_row_short, 3001), WITH(bit_of_far_word, 5003),   WITH(bit_of_far_word, 100003),
    WITH(byte_of_far_word, 70001), WITH(far_word_turned, 12345),  WITH(far_word_negative, 120007),
    WITH(ring_of_words, 65537),    WITH(ring_of_words, 300007),   WITH(tail_from_start, 10007),
    WITH(tail_from_start, 300007), WITH(block_from_cache, 99996), WITH(tiles_overlap, 65536),
    WITH(tiles_overlap, 1000000),  WITH(call_goes_back, 1003),    WITH(call_goes_back, 1000003),
    WITH(lane_without_carry, 16),  WITH(lane_without_carry, 20),
};
const unsigned panel_generator_count = sizeof panel_generators / sizeof *panel_generators;

#include "stats/panel/plugin.h"
