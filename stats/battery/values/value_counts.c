// SPDX-License-Identifier: Apache-2.0
// In how many stretches of 65,536 words each value of 16 bits comes exactly once, and in how many
// it never comes: one value that comes too regularly, or in clusters, is lost among 65,536 others
// in the histogram of gaps.c, and its gaps are too long to be counted as value_gaps.c counts those
// of a byte. Null: stretches are independent, and a value comes Binomial(2^16, 2^-16) times in one,
// so that each count is Binomial(stretches, its chance), exactly. Source: Kolchin, Sevast'yanov,
// Chistyakov, "Random Allocations", 1978, chapter 1. Parameter: p[0] shift.

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "stats/law/real.h"
#include "stats/battery/catalogue.h"

enum { UNIT_LOG2 = 18, STRETCH = 1 << 16, IN_UNIT = 4, VALUES = 1 << 16, MANY = 2 };

// Of one unit, by value.
struct stretches {
    uint8_t times[VALUES]; // that it came in one stretch
    uint8_t once[VALUES], never[VALUES];
};

static void count_value_counts(const struct test *test, const uint32_t *words,
                               const struct counts *to)
{
    struct stretches *const of = to->scratch;
    memset(of, 0, sizeof *of);
    for (size_t s = 0; s < IN_UNIT; s++, words += STRETCH) {
        memset(of->times, 0, sizeof of->times);
        for (size_t i = 0; i < STRETCH; i++) {
            uint8_t *const times = &of->times[words[i] >> test->p[0] & (VALUES - 1)];
            *times = *times < MANY ? *times + 1 : MANY;
        }
        for (size_t v = 0; v < VALUES; v++) {
            of->once[v] = (uint8_t)(of->once[v] + (of->times[v] == 1));
            of->never[v] = (uint8_t)(of->never[v] + (of->times[v] == 0));
        }
    }
    for (size_t v = 0; v < VALUES; v++) {
        to->count[v] += of->once[v];
        to->count[VALUES + v] += of->never[v];
    }
}

// Tails are monotone in the count, so of counts with one law only the furthest need a figure.
static uint32_t add_furthest(const struct totals *total, uint32_t first, double chance,
                             struct judgement *judgement)
{
    const uint64_t *const count = total->count;
    uint32_t most = first, least = first;
    for (uint32_t i = first; i < first + VALUES; i++) {
        most = count[i] > count[most] ? i : most;
        least = count[i] < count[least] ? i : least;
    }
    if (judgement->only >= first && judgement->only < first + VALUES)
        most = least = judgement->only;
    judgement_add_binomial(judgement, most, count[most], total->units * IN_UNIT, chance);
    if (least == most)
        return 1;
    judgement_add_binomial(judgement, least, count[least], total->units * IN_UNIT, chance);
    return 2;
}

static void judge_value_counts(const struct totals *total, struct judgement *judgement)
{
    const double log_miss = real_log1p(-1.0 / VALUES), once = real_exp(log_miss * (STRETCH - 1)),
                 never = real_exp(log_miss * STRETCH);
    const uint32_t added =
        add_furthest(total, 0, once, judgement) + add_furthest(total, VALUES, never, judgement);
    judgement_enlarge(judgement, 2 * VALUES - added);
}

static void describe_value_counts(const struct test *test, uint32_t index, char *text, size_t size)
{
    snprintf(text, size, "stretches of %d words in which bits %u to %u are 0x%04x %s", STRETCH,
             test->p[0], test->p[0] + 15, (unsigned)index % VALUES,
             index < VALUES ? "exactly once" : "never");
}

struct test test_value_counts(unsigned shift)
{
    assert(shift <= 16 && IN_UNIT * STRETCH == 1 << UNIT_LOG2);
    return (struct test){TEST_FUNCTIONS(value_counts),
                         .about = "a value comes too regularly, or in clusters",
                         .unit_log2 = UNIT_LOG2,
                         .counts = 2 * VALUES,
                         .scratch = sizeof(struct stretches),
                         .p = {shift}};
}
