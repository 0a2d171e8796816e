// SPDX-License-Identifier: Apache-2.0
// Linear complexity of one bit of words a multiple of 1,024 apart, over the whole stream: thousands
// of short linear generators that take turns (threads of a grid, each with a state of its own). The
// bit is kept of every 1,024th word; of those, every k-th is a lane. A number of lanes that does
// not divide k * 1,024 is met at a multiple k' of it: a lane of a lane is linear too.
// Null: Rueppel's law for each sequence, exact; each has a hypothesis of its own.
// Source: as linear.c, doi:10.1109/TIT.1969.1054260.
// Parameter: p[0] bit.

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "stats/battery/linear/linear.h"
#include "stats/law/null.h"
#include "stats/battery/catalogue.h"

enum {
    UNIT_LOG2 = 20,
    APART = 1024,
    KEPT = (1 << UNIT_LOG2) / APART,
    PIECE = 32,
    LANES = 1024,
    FEWEST = 64
};

// Longer recurrences are looked for at few lanes, as their cost grows with the square.
static size_t longest(size_t k)
{
    return k <= 4 ? 45000 : k <= 16 ? 4096 : 640;
}

static void count_far_lanes(const struct test *test, const uint32_t *words, const struct counts *to)
{
    const unsigned bit = test->p[0];
    for (size_t i = 0; i < KEPT; i += PIECE) {
        uint64_t piece = 0;
        for (size_t j = 0; j < PIECE; j++)
            piece |= (uint64_t)(words[(i + j) * APART] >> bit & 1) << j;
        bag_add(to->bag, (to->unit * (KEPT / PIECE) + i / PIECE) << PIECE | piece);
    }
}

static void judge_far_lanes(const struct totals *total, struct judgement *judgement)
{
    struct bag *const bag = total->bag;
    const size_t bits = bag->count * PIECE;
    const size_t span = (longest(1) + 63) / 64;
    uint64_t *const sequence = malloc(span * sizeof *sequence);
    void *const scratch = malloc(linear_scratch(longest(1)));
    bag->failed |= !sequence || !scratch;
    const bool sorted = bag_sort(bag, 64);
    for (size_t k = 1; sorted && k <= LANES && bits / k >= FEWEST; k++) {
        const size_t length = bits / k < longest(k) ? bits / k : longest(k);
        for (size_t w = 0; w < (length + 63) / 64; w++) {
            sequence[w] = 0;
            for (size_t j = 0; j < 64 && w * 64 + j < length; j++) {
                const size_t at = (w * 64 + j) * k;
                sequence[w] |= (bag->item[at / PIECE] >> at % PIECE & 1) << j;
            }
        }
        const size_t L = linear_complexity(sequence, length, scratch);
        judgement_add(judgement, (uint32_t)k, null_linear_complexity_log_lower(L, length),
                      (double)L, (double)length / 2);
    }
    free(sequence);
    free(scratch);
}

static void describe_far_lanes(const struct test *test, uint32_t index, char *text, size_t size)
{
    snprintf(text, size, "linear complexity of bit %u of words %" PRIu64 " apart", test->p[0],
             (uint64_t)index * APART);
}

struct test test_far_lanes(unsigned bit)
{
    assert(bit < 32);
    return (struct test){TEST_FUNCTIONS(far_lanes),
                         .about = "words far apart follow a linear recurrence",
                         .unit_log2 = UNIT_LOG2, .keeps = true, .p = {bit}};
}
