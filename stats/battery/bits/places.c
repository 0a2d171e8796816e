// SPDX-License-Identifier: Apache-2.0
// Ones at each bit position of words 2,048 apart: one word of a buffer, or of every so many blocks,
// has a bit that is stuck or biased.
// Null: Binomial(words, 1/2) at each of 65,536 places, exact.
// Source: as positions.c, doi:10.1002/cpe.5557.

#include <stdio.h>
#include <string.h>

#include "stats/kernel/kernel.h"
#include "stats/battery/catalogue.h"

enum {
    UNIT_LOG2 = 20,
    PERIOD = 2048,
    ROWS = (1 << UNIT_LOG2) / PERIOD,
    TOGETHER = 8,
    PLACES = 32 * PERIOD
};

static void count_places(const struct test *test, const uint32_t *words, const struct counts *to)
{
    (void)test;
    _Static_assert(KERNEL_POSITIONS == 32 * TOGETHER, "eight words side by side");
    uint32_t *const column = to->scratch;
    for (size_t at = 0; at < PERIOD; at += TOGETHER) {
        for (size_t row = 0; row < ROWS; row++)
            memcpy(column + row * TOGETHER, words + row * PERIOD + at, TOGETHER * sizeof *words);
        kernel_chosen()->positions(column, (size_t)ROWS * TOGETHER, to->count + 32 * at);
    }
}

static void judge_places(const struct totals *total, struct judgement *judgement)
{
    for (uint32_t i = 0; i < PLACES; i++)
        judgement_add_fair(judgement, i, total->count[i], total->units * ROWS);
}

static void describe_places(const struct test *test, uint32_t index, char *text, size_t size)
{
    (void)test;
    snprintf(text, size, "fraction of ones at bit %u of every %d-th word, from word %u on",
             (unsigned)index % 32, (int)PERIOD, (unsigned)index / 32);
}

struct test test_places(void)
{
    return (struct test){TEST_FUNCTIONS(places),
                         .about = "bits of some words of a buffer are not even",
                         .unit_log2 = UNIT_LOG2, .counts = PLACES,
                         .scratch = (size_t)ROWS * TOGETHER * sizeof(uint32_t)};
}
