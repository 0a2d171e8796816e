// SPDX-License-Identifier: Apache-2.0
// How long each value takes to come again: gaps between equal values of `bits` bits, all values at
// once.
// Null: a gap is Geometric(2^-bits). Gaps are counted by their start; starts too near the end of
// the unit to see the longest gap are left out and gaps beyond it share the last cell, so that
// nothing is censored. Gaps that overlap in time belong to different values: their dependence is of
// order 2^-bits.
// Source: Kendall, Babington Smith, doi:10.2307/2980655; Knuth, volume 2, 3.3.2 D; the distances
// are those of Maurer's universal test (doi:10.1007/BF00193563), kept as a histogram.
// Parameters: p[0] bits (at most 16), p[1] shift, p[2] whether all values of a word are looked at,
// the lowest first (both halves, the four bytes).

#include <assert.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "stats/law/null.h"
#include "stats/law/real.h"
#include "stats/battery/catalogue.h"

enum { VALUES_LOG2 = 18, CELLS = 128, NONE = 0x80 }; // NONE: each byte of a place

static size_t longest(unsigned bits)
{
    return (size_t)2 << bits; // two mean gaps: a share of e^-2 lies beyond
}

static inline void count_values(const struct test *test, const uint32_t *words, unsigned a_word,
                                const struct counts *to)
{
    const unsigned bits = test->p[0], shift = test->p[1];
    const size_t unit = (size_t)1 << VALUES_LOG2,
                 final = unit - longest(bits); // starts at or after this are not followed
    const unsigned log2 = (unsigned)__builtin_ctzll(longest(bits) / CELLS);
    const uint32_t mask = (1u << bits) - 1;
    // The place behind the latest start of each value, or one so far ahead that no gap begins
    // there.
    uint32_t *const from = to->scratch;
    uint64_t gaps[CELLS + 1] = {0}, closed = 0; // the last cell: none, or too long
    memset(from, NONE, ((size_t)mask + 1) * sizeof *from);
    for (uint32_t i = 0; i < unit; i++) {
        const uint32_t value = words[i / a_word] >> (shift + i % a_word * (32 / a_word) % 32);
        uint32_t *const start = &from[value & mask];
        const uint32_t cell = (i - *start) >> log2;
        gaps[cell < CELLS ? cell : CELLS]++;
        *start = i < final ? i + 1 : NONE * 0x01010101u;
    }
    for (unsigned c = 0; c < CELLS; c++) {
        to->count[c] += gaps[c];
        closed += gaps[c];
    }
    to->count[CELLS] += final - closed;
}

static void count_gaps(const struct test *test, const uint32_t *words, const struct counts *to)
{
    if (!test->p[2]) // loops of their own, which know how many values a word has
        count_values(test, words, 1, to);
    else if (test->p[0] == 16)
        count_values(test, words, 2, to);
    else
        count_values(test, words, 4, to);
}

static void judge_gaps(const struct totals *total, struct judgement *judgement)
{
    const size_t width = longest(total->test->p[0]) / CELLS;
    double log_stay = real_log1p(-1.0 / (double)(1u << total->test->p[0])), probability[CELLS + 1];
    for (unsigned c = 0; c < CELLS; c++)
        probability[c] = real_exp(log_stay * (double)(c * width)) -
                         real_exp(log_stay * (double)((c + 1) * width));
    probability[CELLS] = real_exp(log_stay * (double)(CELLS * width));
    const struct null_cells cells = null_cells_test(total->count, probability, CELLS + 1, 100);
    judgement_add(judgement, 0, cells.log_p, cells.statistic, cells.df);
}

static void describe_gaps(const struct test *test, uint32_t index, char *text, size_t size)
{
    (void)index;
    if (test->p[2])
        snprintf(text, size, "chi-square of gaps between equal values of %u bits, %u in each word",
                 test->p[0], 32 / test->p[0]);
    else
        snprintf(text, size, "chi-square of gaps between equal values of bits %u to %u", test->p[1],
                 test->p[1] + test->p[0] - 1);
}

struct test test_gaps(unsigned bits, unsigned shift, bool all)
{
    assert(bits + shift <= 32 && (!all || ((bits == 8 || bits == 16) && !shift)));
    return (struct test){TEST_FUNCTIONS(gaps),
                         .about = "values come again too soon or too late",
                         .unit_log2 = VALUES_LOG2 - (!all         ? 0
                                                     : bits == 16 ? 1
                                                                  : 2),
                         .counts = CELLS + 1,
                         .scratch = sizeof(uint32_t) << bits,
                         .p = {bits, shift, all}};
}
