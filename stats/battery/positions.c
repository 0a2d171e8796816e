// SPDX-License-Identifier: Apache-2.0
// Ones at each bit position, words taken modulo 8, 4, 2 and 1, then halfwords and bytes.
// Null: each count is Binomial(n, 1/2), exactly. Source: Knuth, The Art of Computer Programming,
// volume 2, 3.3; kernel doi:10.1002/cpe.5557. Catches stuck and biased bits; pooling keeps the
// power for defects that every word shares.

#include <stdio.h>

#include "stats/kernel/kernel.h"
#include "stats/law/null.h"
#include "stats/battery/catalogue.h"

enum { UNIT_LOG2 = 16 };

static const unsigned period[] = {256, 128, 64, 32, 16, 8, 1};
enum { PERIODS = sizeof period / sizeof *period };

static void count_positions(const struct test *test, const uint32_t *words, const struct counts *to)
{
    kernel_chosen()->positions(words, (size_t)1 << test->unit_log2, to->count);
}

static void judge_positions(const struct totals *total, struct judgement *judgement)
{
    const uint64_t bits = total->units << (total->test->unit_log2 + 5);
    uint32_t index = 0;
    for (unsigned f = 0; f < PERIODS; f++) {
        const uint64_t n = bits / period[f];
        for (unsigned position = 0; position < period[f]; position++) {
            uint64_t ones = 0;
            for (unsigned at = position; at < KERNEL_POSITIONS; at += period[f])
                ones += total->count[at];
            judgement_add_fair(judgement, index++, ones, n);
        }
    }
}

static void describe_positions(const struct test *test, uint32_t index, char *text, size_t size)
{
    (void)test;
    unsigned f = 0;
    while (f + 1 < PERIODS && index >= period[f])
        index -= period[f++];
    if (period[f] == 1)
        snprintf(text, size, "fraction of ones among all bits");
    else
        snprintf(text, size, "fraction of ones at bit %u of every %u", (unsigned)index, period[f]);
}

struct test test_positions(void)
{
    return (struct test){.name = "positions",
                         .about = "a bit is not one half of the time",
                         .unit_log2 = UNIT_LOG2,
                         .counts = KERNEL_POSITIONS,
                         .count = count_positions,
                         .judge = judge_positions,
                         .describe = describe_positions};
}
