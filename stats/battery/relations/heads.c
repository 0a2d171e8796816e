// SPDX-License-Identifier: Apache-2.0
// The first words of every block against those of blocks far away: lags of 2^16 words and more, for
// sources that give their words in order as well. They are also compared with the last words of the
// block before, which no other test has beside them: tiles of a grid that overlap by a block or two
// do so where units begin.
// Null: given the heads of the earlier blocks, the differences at one distance are independent and
// uniform. So each count is Binomial(n, 1/2), exactly. Equal words are Binomial(n, 2^-32); where
// blocks meet, so they are lag by lag. Distances are dependent, so each stands alone in Holm's
// family.
// Source: as lags.c, doi:10.1145/1268776.1268777.
// Parameters: none.

#include <stdio.h>
#include <stdlib.h>

#include "stats/kernel/kernel.h"
#include "stats/kernel/sort.h"
#include "stats/battery/catalogue.h"

enum {
    UNIT_LOG2 = 16,
    HEAD = 64,
    TAIL = 16,
    KEPT = HEAD + TAIL,
    PLACE_BITS = 7,
    MARGIN = 256,
    DISTANCES = 30,
    PERIODS = 3,
    SLOTS = 256 + 64 + 32 + 1
};

static const unsigned period[PERIODS] = {256, 64, 32};

// In blocks: powers of two, and three times them.
static uint64_t distance(unsigned d)
{
    return d == 0 ? 1 : d & 1 ? UINT64_C(1) << (d + 1) / 2 : UINT64_C(3) << (d / 2 - 1);
}

// A kept value: 25 bits of block, 7 bits of place, 32 bits of word.
static void count_heads(const struct test *test, const uint32_t *words, const struct counts *to)
{
    (void)test;
    for (uint64_t i = 0; i < KEPT; i++)
        bag_add(to->bag, (to->unit << PLACE_BITS | i) << 32 |
                             words[i < HEAD ? i : ((size_t)1 << UNIT_LOG2) - KEPT + i]);
}

static void compare(const uint32_t *words, uint64_t blocks, unsigned d, uint32_t *difference,
                    struct judgement *judgement)
{
    const uint64_t away = distance(d), pairs = blocks - away;
    const uint64_t n = pairs * HEAD / MARGIN * MARGIN; // the kernel takes whole groups
    uint64_t position[KERNEL_POSITIONS] = {0}, equal = 0;
    for (uint64_t i = 0; i < n; i++) {
        difference[i] = words[i + away * HEAD] ^ words[i];
        equal += difference[i] == 0;
    }
    kernel_chosen()->positions(difference, n, position);
    uint32_t index = d * SLOTS;
    for (unsigned f = 0; f < PERIODS; f++)
        for (unsigned p = 0; p < period[f]; p++, index++) {
            uint64_t ones = 0;
            for (unsigned at = p; at < KERNEL_POSITIONS; at += period[f])
                ones += position[at];
            judgement_add_fair(judgement, index, ones, n * 32 / period[f]);
        }
    judgement_add_rare(judgement, index, equal, n, 0x1p-32);
}

// Words before a seam, then words behind it, at every lag at which both are known.
static void compare_seams(const uint64_t *item, uint64_t blocks, struct judgement *judgement)
{
    uint64_t equal[2 * TAIL] = {0};
    for (uint64_t b = 0; b + 1 < blocks; b++) {
        const uint64_t *const before = item + b * KEPT + HEAD, *const behind =
                                                                   item + (b + 1) * KEPT;
        for (unsigned j = 0; j < TAIL; j++)
            for (unsigned i = 0; i < TAIL; i++)
                equal[TAIL + j - i] += (uint32_t)behind[j] == (uint32_t)before[i];
    }
    for (unsigned lag = 1; lag < 2 * TAIL && blocks > 1; lag++)
        judgement_add_rare(judgement, DISTANCES * SLOTS + lag, equal[lag],
                           (blocks - 1) * (lag < TAIL ? lag : 2 * TAIL - lag), 0x1p-32);
}

static void judge_heads(const struct totals *total, struct judgement *judgement)
{
    struct bag *const bag = total->bag;
    const size_t kept = bag->count, blocks = kept / KEPT, heads = blocks * HEAD;
    uint64_t *const spare = malloc((kept + 1) * sizeof *spare);
    if (!spare) {
        bag->failed = true;
        return;
    }
    sort_u64(bag->item, spare, kept, 64);
    uint32_t *const words = (uint32_t *)(void *)spare, *const difference = words + heads;
    for (size_t i = 0; i < heads; i++)
        words[i] = (uint32_t)bag->item[i / HEAD * KEPT + i % HEAD];
    for (unsigned d = 0; d < DISTANCES; d++)
        if (distance(d) + MARGIN / HEAD <= blocks)
            compare(words, blocks, d, difference, judgement);
    free(spare);
    compare_seams(bag->item, blocks, judgement);
}

static void describe_heads(const struct test *test, uint32_t index, char *text, size_t size)
{
    (void)test;
    if (index >= DISTANCES * SLOTS) {
        snprintf(text, size,
                 "words equal to the one %u words before, where blocks of %u words meet",
                 (unsigned)index - DISTANCES * SLOTS, 1u << UNIT_LOG2);
        return;
    }
    const unsigned long long words = distance((unsigned)index / SLOTS) << UNIT_LOG2;
    index %= SLOTS;
    if (index == SLOTS - 1) {
        snprintf(text, size, "words equal to the one %llu words before, at the heads of blocks",
                 words);
        return;
    }
    unsigned f = 0;
    while (f + 1 < PERIODS && index >= period[f])
        index -= period[f++];
    snprintf(
        text, size,
        "fraction of differences at bit %u of every %u, from the word %llu words before, at the "
        "heads of blocks",
        (unsigned)index, period[f], words);
}

struct test test_heads(void)
{
    return (struct test){TEST_FUNCTIONS(heads), .about = "words far apart depend on each other",
                         .unit_log2 = UNIT_LOG2, .keeps = true};
}
