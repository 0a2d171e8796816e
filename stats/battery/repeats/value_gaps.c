// SPDX-License-Identifier: Apache-2.0
// How long each value of a byte takes to come again, each value by itself: one value that comes too
// regularly is lost among 256 others in one histogram of all (gaps.c).
// Of each value the first GAPS gaps of a unit are counted. So the number of gaps does not depend on
// how long they are.
// Null: the gaps of a value are independent and Geometric(2^-8), so that each cell is Binomial(GAPS
// units, its chance), exactly. A unit in which a value comes GAPS times or less, twelve standard
// deviations too seldom, counts the gaps that are missing as too long: the chance of that is below
// 10^-30 for all values together.
// Source: Kendall, Babington Smith, doi:10.2307/2980655; Knuth, volume 2, 3.3.2 D.
// Parameter: p[0] shift.

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "stats/law/real.h"
#include "stats/battery/catalogue.h"

enum { UNIT_LOG2 = 18, VALUES = 256, GAPS = 640, LONGEST = 1024 };

// The last gap of each cell; beyond the last one the gaps are too long.
static const unsigned last[] = {1,   2,   4,   8,   16,  32,  64,  96,      128,
                                192, 256, 320, 384, 512, 640, 768, LONGEST, UINT32_MAX};
enum { CELLS = sizeof last / sizeof *last };

struct gaps {
    uint8_t cell[LONGEST + 2]; // of a gap
    uint32_t from[VALUES];     // the place of the latest value
    uint32_t left[VALUES];     // gaps that are still to be counted
    uint32_t count[VALUES][CELLS];
};

static void count_value_gaps(const struct test *test, const uint32_t *words,
                             const struct counts *to)
{
    struct gaps *const gaps = to->scratch;
    memset(gaps, 0, sizeof *gaps);
    for (unsigned gap = 1, c = 0; gap <= LONGEST + 1; gap++) {
        c += gap > last[c];
        gaps->cell[gap] = (uint8_t)c;
    }
    for (unsigned v = 0; v < VALUES; v++)
        gaps->left[v] = GAPS + 1; // the first place begins none
    for (uint32_t i = 0; i < 1u << UNIT_LOG2; i++) {
        const unsigned v = words[i] >> test->p[0] & (VALUES - 1);
        if (!gaps->left[v])
            continue;
        const uint32_t gap = i - gaps->from[v];
        gaps->count[v][gaps->cell[gap <= LONGEST ? gap : LONGEST + 1]] += gaps->left[v] <= GAPS;
        gaps->left[v]--;
        gaps->from[v] = i;
    }
    for (unsigned v = 0; v < VALUES; v++) {
        for (unsigned c = 0; c < CELLS; c++)
            to->count[v * CELLS + c] += gaps->count[v][c];
        to->count[v * CELLS + CELLS - 1] += gaps->left[v] <= GAPS ? gaps->left[v] : GAPS;
    }
}

static void judge_value_gaps(const struct totals *total, struct judgement *judgement)
{
    const double log_stay = real_log1p(-1.0 / VALUES);
    double chance[CELLS];
    for (unsigned c = 0; c < CELLS; c++)
        chance[c] = (c ? real_exp(log_stay * last[c - 1]) : 1) -
                    (c + 1 < CELLS ? real_exp(log_stay * last[c]) : 0);
    for (uint32_t i = 0; i < VALUES * CELLS; i++)
        judgement_add_binomial(judgement, i, total->count[i], total->units * GAPS,
                               chance[i % CELLS]);
}

static void describe_value_gaps(const struct test *test, uint32_t index, char *text, size_t size)
{
    const unsigned cell = index % CELLS, shift = test->p[0];
    const int to = snprintf(text, size, "bits %u to %u that are 0x%02x come again after %u", shift,
                            shift + 7, (unsigned)index / CELLS, cell ? last[cell - 1] + 1 : 1);
    if (cell + 1 < CELLS && to > 0 && (size_t)to < size)
        snprintf(text + to, size - (size_t)to, " to %u words", last[cell]);
    else if (to > 0 && (size_t)to < size)
        snprintf(text + to, size - (size_t)to, " words and more");
}

struct test test_value_gaps(unsigned shift)
{
    assert(shift <= 24);
    return (struct test){
        TEST_FUNCTIONS(value_gaps),     .about = "a value comes again too regularly",
        .unit_log2 = UNIT_LOG2,         .counts = VALUES * CELLS,
        .scratch = sizeof(struct gaps), .p = {shift}};
}
