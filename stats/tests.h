// SPDX-License-Identifier: Apache-2.0
// The tests of the battery, each in a file of its own: constructors give a row with its parameters filled in.

#ifndef ASSAY_STATS_TESTS_H
#define ASSAY_STATS_TESTS_H

#include "stats/test.h"

struct test test_positions(void);

// `list`: `count` pairs (lag in words, rotation in bits).
struct test test_lags(const char *name, const unsigned *list, unsigned count);

// Every lag from 1 to `lags`.
struct test test_lags_all(unsigned lags);

// Bit `bit` of every `stride`-th word from `offset` on: one sequence of `length` bits a unit.
struct test test_linear(unsigned bit, unsigned stride, unsigned offset, unsigned length);
// All 32 bits of words, 4,096 bits each.
struct test test_linear_short(unsigned stride, unsigned offset);

// Points of `dimensions` coordinates of `bits` bits, from the high end of words or the low one, of every `stride`-th word;
// `points` a group, as many groups as fit a unit, at most `groups` of them.
struct birthday_shape {
    const char *name;
    unsigned dimensions, bits, low, stride, points, groups, unit_log2;
};
struct test test_birthdays(const struct birthday_shape *shape);

// Windows of `window` words (4 or 2) whose hash ends in `thinning` zero bits.
struct test test_duplicates(unsigned thinning, unsigned window);
// Forms 0 to 5 (collisions.c), in units of 2^unit_log2 words, 18 or 20.
struct test test_collisions(unsigned form, unsigned unit_log2);
struct test test_followers(void);
struct test test_heads(void);
struct test test_bursts(void);
// One bit of every k-th word, k from `first` to `last` (at most 1,365).
struct test test_lanes(unsigned bit, unsigned first, unsigned last);
// One bit against the same bit of each of `lags` words before.
struct test test_bit_lags(unsigned bit, unsigned lags);

struct test test_bytes(void);
struct test test_edges(void);
// Ones at each bit position in runs of 2^log2 words (at least 9).
struct test test_steadiness(unsigned log2);
struct test test_weights(void);
struct test test_weight_tuples(unsigned words, unsigned classes);
// Ones in blocks of 2^log2 words.
struct test test_balance(unsigned log2);
// Three-term sums of values of `bits` bits: 32, 16 or 8.
struct test test_sums(unsigned bits);
struct test test_rank(unsigned size, unsigned matrices);
struct test test_gaps(unsigned bits, unsigned shift);
struct test test_cells(unsigned pattern);
enum { CELLS_PATTERNS = 14 };
struct test test_orders(unsigned words, unsigned stride);
struct test test_ascents(void);
struct test test_coupons(unsigned bits, unsigned shift);
struct test test_poker(unsigned shift);
struct test test_walk(void);

#endif
