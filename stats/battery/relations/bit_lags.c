// SPDX-License-Identifier: Apache-2.0
// One bit of a word against the same bit of every earlier word up to a great distance: a recurrence
// or an echo at a lag that no list of likely lags holds.
// Null: for each lag the differences within a unit are independent fair bits: Binomial(n, 1/2),
// exactly; lags are dependent, so each stands alone in Holm's family. All lags are counted at once
// (correlate.c).
// Source: as lags.c, doi:10.1145/1268776.1268777.
// Parameters: p[0] bit, p[1] greatest lag in words.

#include <assert.h>
#include <stdio.h>

#include "stats/kernel/correlate.h"
#include "stats/battery/catalogue.h"

enum { UNIT_LOG2 = 19, PLANE = 1 << (UNIT_LOG2 - 6) };

struct lags {
    uint64_t plane[PLANE];
    uint32_t ones[(1 << UNIT_LOG2) + 1]; // before each place
    uint32_t together[];                 // for each lag; then the correlation's own room
};

static size_t room_for_lags(unsigned lags)
{
    return ((size_t)lags + 16) / 16 * 16;
}

// Bits below this one have no partner for the greatest lag: all lags leave them out.
static size_t first_place(const struct test *test)
{
    return (test->p[1] / 64 + 1) * (size_t)64;
}

// Bits differ where one of them is one, but not both.
static void count_bit_lags(const struct test *test, const uint32_t *words, const struct counts *to)
{
    const unsigned bit = test->p[0], last = test->p[1];
    const size_t n = (size_t)1 << UNIT_LOG2, from = first_place(test);
    struct lags *const by = to->scratch;
    for (size_t i = 0; i < n; i++) {
        const uint32_t b = words[i] >> bit & 1;
        by->plane[i / 64] = (i % 64 ? by->plane[i / 64] : 0) | (uint64_t)b << i % 64;
        by->ones[i + 1] = (i ? by->ones[i] : 0) + b;
    }
    by->ones[0] = 0;
    correlate_bits(by->plane, by->plane, UNIT_LOG2, from, last, by->together,
                   by->together + room_for_lags(last));
    for (size_t lag = 1; lag <= last; lag++)
        to->count[lag - 1] += by->ones[n] - by->ones[from] + by->ones[n - lag] -
                              by->ones[from - lag] - 2 * by->together[lag];
}

static void judge_bit_lags(const struct totals *total, struct judgement *judgement)
{
    const uint64_t n = total->units * (((uint64_t)1 << UNIT_LOG2) - first_place(total->test));
    for (uint32_t lag = 1; lag <= total->test->p[1]; lag++)
        judgement_add_fair(judgement, lag, total->count[lag - 1], n);
}

static void describe_bit_lags(const struct test *test, uint32_t index, char *text, size_t size)
{
    snprintf(text, size, "fraction of differences at bit %u from the word %u words before",
             test->p[0], (unsigned)index);
}

struct test test_bit_lags(unsigned bit, unsigned lags)
{
    assert(bit < 32 && lags > 0);
    return (struct test){TEST_FUNCTIONS(bit_lags),
                         .about = "words depend on words far before them",
                         .unit_log2 = UNIT_LOG2,
                         .counts = lags,
                         .scratch = sizeof(struct lags) + room_for_lags(lags) * sizeof(uint32_t) +
                                    correlate_scratch(UNIT_LOG2),
                         .p = {bit, lags}};
}
