// SPDX-License-Identifier: Apache-2.0
// A good stream that is written in rows, tiles and calls of any length, or in which something comes
// from far before.

#include "stats/panel/steps.h"

// One word of a row of p has a bit that is stuck, a bit that is one three times in four, a byte of
// zeros.
WORD(word_of_row, n % p == 17 ? w | 1u << 13 : w)
WORD(word_of_row_uneven, n % p == 17 ? w | (word(~g->seed, n) & 1u << 13) : w)
WORD(word_of_row_short, n % p == 17 ? w & ~0xffu : w)
// Bit 13 is bit 5 of the word p before; the low byte is its high one; in one word of 64 it comes
// again, turned, or nearly so.
WORD(bit_of_far_word, (w & ~(1u << 13)) | (recent(g, p) & 1u << 5) << 8)
WORD(byte_of_far_word, (w & ~0xffu) | recent(g, p) >> 24)
WORD(far_word_turned, n % 64 == 9 ? recent(g, p) << 7 | recent(g, p) >> 25 : w)
WORD(far_word_negative, n % 32 == 9 ? 0 - recent(g, p) : w)
// The last word of a call of p is its first; the last three are the first ones of the stream.
WORD(ring_of_words, n % p == p - 1 ? word(g->seed, n - (p - 1)) : w)
WORD(tail_from_start, n % p >= p - 3 ? word(g->seed, n % p - (p - 3)) : w)
// A block in 2^18 is one that was made 24,999 blocks before.
WORD(block_from_cache, n >= p && word(~g->seed, n / 4) < 1u << 14 ? word(g->seed, n - p) : w)
// A tile of p words begins four words before the last one's end; a call of p gives back what is
// over a multiple of four.
WORD(tiles_overlap, word(g->seed, n - n / p * 4))
WORD(call_goes_back, word(g->seed, n - n / p * (p % 4)))
// The sixth of eight lanes counts its blocks in p bits.
WORD(lane_without_carry, word(g->seed, n / 4 % 8 == 5 ? n & ((UINT64_C(4) << p) - 1) : n))

#define PANEL_LIST "stats/roster/rows.inc"
#include "stats/panel/plugin.h"
