// SPDX-License-Identifier: Apache-2.0
// The tests of the battery, each in a file of its own: constructors give a row with its parameters
// filled in.

#ifndef ASSAY_STATS_BATTERY_CATALOGUE_H
#define ASSAY_STATS_BATTERY_CATALOGUE_H

#include <stdbool.h>
#include "stats/battery/frame.h"

struct test test_positions(void);
struct test test_places(void);
// One bit of every k-th word, k to 4,096.
struct test test_rhythms(void);
// Parities and sums of all words so far, at every k-th word, k to 4,096.
struct test test_frame_checks(void);

// `list`: `count` pairs (lag in words, rotation in bits).
struct test test_lags(const char *name, const unsigned *list, unsigned count);

// Every lag from 1 to `lags`.
struct test test_lags_all(unsigned lags);

// Bit `bit` of every `stride`-th word from `offset` on: one sequence of `length` bits a unit.
struct test test_linear(unsigned bit, unsigned stride, unsigned offset, unsigned length);
// All 32 bits of words, 4,096 bits each.
struct test test_linear_short(unsigned stride, unsigned offset);

// Fractions whose digits are the words, or every second, third, fourth, eighth.
struct test test_fractions(void);

// Points of `dimensions` coordinates of `bits` bits, from the high end of words or the low one, of
// every `stride`-th word; `points` a group, as many groups as fit a unit, at most `groups` of them.
struct birthday_shape {
    const char *name;
    unsigned dimensions, bits, low, stride, points, groups, unit_log2;
};
struct test test_birthdays(const struct birthday_shape *shape);
// Points of eight words, each `apart` (at most 2^17) words from the next.
struct test test_birthdays_apart(unsigned apart);

// Windows of `window` words (4 or 2) whose hash ends in `thinning` zero bits.
// `shifted`: one unit in 128 is also looked through at every place that is not a word's.
struct test test_duplicates(unsigned thinning, unsigned window, bool shifted);
// Single words: as they are (form 0), turned (1), reversed (2).
struct test test_returns(unsigned form);
// Forms 0 to 9 (repeats/collisions.c), in units of 2^unit_log2 words, 18 or 20.
struct test test_collisions(unsigned form, unsigned unit_log2);
struct test test_followers(void);
// Repeats of windows whose words may be turned, complemented or read from the other end.
struct test test_turned(void);
struct test test_heads(void);
struct test test_bursts(void);
struct test test_bit_runs(void);
// Bits that keep still from word to word.
struct test test_spells(void);
// One bit of every k-th word, k from `first` to `last` (at most 1,365).
struct test test_lanes(unsigned bit, unsigned first, unsigned last);
// One bit of words a multiple of 1,024 apart.
struct test test_far_lanes(unsigned bit);
// One bit against the same bit of each of `lags` words before.
struct test test_bit_lags(unsigned bit, unsigned lags);
// What most bits of a word are against that of each of 524,288 words before.
// `part`: 0 whole words, 1 to 4 one byte of them.
struct test test_echoes(unsigned part);
// One bit against the same bit of each of 12.5 million words before; 32 + k: what most of the nine
// bits from k on are.
struct test test_far_bit_lags(unsigned bit);
// `of` put to fields of `bits` bits, 17 to 63, that follow each other without regard to words. Its
// parameter p[5] must be free.
struct test test_recut(const char *name, const struct test *of, unsigned bits);

struct test test_bytes(void);
// Bits of a word by each byte of the word before.
struct test test_bits_after_bytes(void);
// All runs at the ends of words, or the long ones alone, which is quick.
struct test test_edges(bool long_ones);
// Ones at each bit position in runs of 2^log2 words (9 to 20); of bits that differ from the next
// higher ones.
struct test test_steadiness(unsigned log2, bool neighbours);
struct test test_weights(void);
struct test test_weight_tuples(unsigned words, unsigned classes);
// Ones in blocks of 2^log2 words.
struct test test_balance(unsigned log2);
// Three-term sums of values of `bits` bits: 32, 16 or 8.
struct test test_sums(unsigned bits);
// Three-term sums at any two distances up to `lags` (below 8,192) of values of `bits` bits: 32, 16,
// 8 or 4.
struct test test_relations(unsigned bits, unsigned lags);
// Parities of three bits up to `lags` bits apart, the lowest bit of a word first (order 0) or the
// highest (1).
struct test test_triples(unsigned order, unsigned lags);
// Waves of 2^(log2 + 1) to 2^(log2 + 12) words.
struct test test_tides(unsigned log2);
// Waves of 2 to 65,536 words in one bit.
struct test test_waves(unsigned bit);
// Bytes predicted from those of the words `first` to `last` (at most 64) before.
struct test test_predictions(unsigned first, unsigned last);
// Parities of `order` (3 or 4) bits of words of 32 or 64 bits.
struct test test_parities(unsigned bits, unsigned order);
// The word whose number is 2 to 8 times that of another.
struct test test_dilations(void);
// Words in a row, up to 4,096, that add up to a multiple of `modulus`, 3 to 65,535.
struct test test_block_sums(unsigned modulus);
// Words and halves that are a check of the words before, up to 4,096: the table of the file.
enum { BLOCK_CHECKS = 14 };
struct test test_block_checks(unsigned which);
// Small multiples of three neighbours against one of the last 32,768 words.
struct test test_bends(void);
struct test test_differences(void);
// Exact sums and differences of two of the last `lags` words.
struct test test_formulas(unsigned lags);
// Byte `byte` (0 the lowest) as the exclusive or of those of any two or three of the last 160
// words.
struct test test_byte_origins(unsigned byte);
// Products, means, carries and the like of two of the last twelve words.
struct test test_pair_formulas(void);
// Exclusive ors (form 0), sums (1), differences (2) of two of the last 65,536 words.
struct test test_origins(unsigned form);
struct test test_descent(void);
// Parts of words that equal others.
struct test test_copies(unsigned farthest);
// Words of 32 or 64 bits modulo `modulus` (at most 65,536) and its divisors.
struct test test_residues(unsigned modulus, unsigned bits);
// Pairs of values of 16, 32 or 64 bits modulo every number up to 63.
struct test test_residue_pairs(unsigned bits);
// The `bits` high bits of words of 32 or 64 bits, modulo primes up to 1,021.
struct test test_remainders(unsigned bits);
// Multiples of primes up to `last` (below 65,536) among the `bits` high bits of words: 24, 31, 32,
// 53 or 64.
struct test test_multiples(unsigned bits, unsigned last);
// Residues of words of 32 or 64 bits against those of the words before.
struct test test_residue_lags(unsigned bits);
struct test test_rank(unsigned size, unsigned matrices);
// Matrices with rows of each length from `first` (at least 3) to `last` (at most 180) words.
struct test test_frames(unsigned first, unsigned last);
// `all`: of all values of 8 or 16 bits that a word has, one after another.
struct test test_gaps(unsigned bits, unsigned shift, bool all);
// Gaps of each value of the byte from bit `shift` up.
struct test test_value_gaps(unsigned shift);
// How often each value of the 16 bits from bit `shift` up comes once, or never, in 65,536 words.
struct test test_value_counts(unsigned shift);
struct test test_cells(unsigned pattern);
// High halves of quotients (or products) of words that lie `lag` apart.
struct test test_quotients(bool product, unsigned lag);
enum { CELLS_PATTERNS = 14 };
// Cells and extremes of values of `bits` bits, 9 to 15, that follow each other without regard to
// words; order as in test_triples.
struct test test_fields(unsigned bits, unsigned order);
// Repeats among values of 16 to 63 bits, the lowest bit of a word first.
struct test test_wide_fields(unsigned bits);
// Ones at each bit of fields of `list[i]` bits, i < `count`: 3 to 63, none a power of 2.
struct test test_field_bits(const unsigned *list, unsigned count);
// Long runs at the ends of fields of `bits` bits, 11 to 31.
struct test test_field_ends(unsigned bits);
// Bits of words against parities of bits of their number.
struct test test_index_parities(void);
struct test test_orders(unsigned words, unsigned stride);
// Of every word (stride_log2 0), or of the high halves of words of 64 bits (1).
struct test test_ascents(unsigned stride_log2);
struct test test_coupons(unsigned bits, unsigned shift);
// `hand` draws (a power of two up to 16) of `bits` bits (at most 4) from bit `shift` up.
struct test test_poker(unsigned shift, unsigned bits, unsigned hand);
struct test test_walk(void);

#endif
