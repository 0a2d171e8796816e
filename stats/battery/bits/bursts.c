// SPDX-License-Identifier: Apache-2.0
// Runs of words in which one bit, or its change from word to word, is far from even: a disturbance
// that lasts for some thousand words and is lost in the total.
// Null: the ones of a bit in a run of n words are Binomial(n, 1/2), bits and runs are independent,
// and so are differences of neighbours within a run and between runs: how many of them pass a
// threshold is binomial again, with the exact chance of passing.
// Source: Feller, volume I, VI.2 (tails of the binomial law).
// Parameters: none.

#include <stdio.h>

#include "stats/kernel/kernel.h"
#include "stats/law/null.h"
#include "stats/law/real.h"
#include "stats/battery/catalogue.h"

enum { UNIT_LOG2 = 16, RUN_LOG2 = 14, RUN = 1 << RUN_LOG2, BITS = 32, LEAD = 256, KINDS = 2 };

// |2 ones - n| that must be passed: 5, 8 and 12 standard deviations of runs of 16,384 words (the
// second kind has 256 pairs fewer).
static const unsigned threshold[] = {640, 1024, 1536};
enum { THRESHOLDS = sizeof threshold / sizeof *threshold };

static unsigned pairs_of(unsigned kind)
{
    return kind ? RUN - LEAD : RUN;
}

static void add(uint64_t *count, const uint64_t position[KERNEL_POSITIONS], unsigned n)
{
    unsigned ones[BITS] = {0};
    for (unsigned p = 0; p < KERNEL_POSITIONS; p++)
        ones[p % BITS] += (unsigned)position[p];
    for (unsigned b = 0; b < BITS; b++) {
        const unsigned away = 2 * ones[b] > n ? 2 * ones[b] - n : n - 2 * ones[b];
        for (unsigned t = 0; t < THRESHOLDS; t++)
            count[t] += away > threshold[t];
    }
}

static void count_bursts(const struct test *test, const uint32_t *words, const struct counts *to)
{
    for (size_t i = 0; i < (size_t)1 << test->unit_log2; i += RUN) {
        uint64_t ones[KERNEL_POSITIONS] = {0}, changes[KERNEL_POSITIONS] = {0}, event[2] = {0};
        kernel_chosen()->positions(words + i, RUN, ones);
        kernel_chosen()->lag(words + i + LEAD, RUN - LEAD, 1, 0, changes, event);
        add(to->count, ones, pairs_of(0));
        add(to->count + THRESHOLDS, changes, pairs_of(1));
    }
}

static void judge_bursts(const struct totals *total, struct judgement *judgement)
{
    const uint64_t trials = (total->units << (total->test->unit_log2 - RUN_LOG2)) * BITS;
    for (unsigned kind = 0; kind < KINDS; kind++)
        for (unsigned t = 0; t < THRESHOLDS; t++) {
            const unsigned n = pairs_of(kind);
            const double p =
                2 * real_exp(null_binomial_log_upper((n + threshold[t]) / 2 + 1, n, 0.5));
            judgement_add_rare(judgement, kind * THRESHOLDS + t,
                               total->count[kind * THRESHOLDS + t], trials, p);
        }
}

static void describe_bursts(const struct test *test, uint32_t index, char *text, size_t size)
{
    (void)test;
    snprintf(text, size,
             "runs of %d words in which ones and zeros of a bit%s differ by more than %u", (int)RUN,
             index >= THRESHOLDS ? "'s changes" : "", threshold[index % THRESHOLDS]);
}

struct test test_bursts(void)
{
    return (struct test){TEST_FUNCTIONS(bursts),
                         .about = "for a short while a bit is far from even",
                         .unit_log2 = UNIT_LOG2, .counts = KINDS * THRESHOLDS};
}
