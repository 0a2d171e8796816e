// SPDX-License-Identifier: Apache-2.0
// Bits that do not change for a while, or change every time: a disturbance of some dozen words that
// is lost in any total. Changes of a bit from word to word, and from the word 2, 4 and 8 before
// (halves, lanes), are looked at 16, 32 and 64 in a row.
// Null: changes are independent and uniform, as the words are, and those of one group are in no
// other group of its length, so that the bits that keep still in a group of n are
// Binomial(32 groups, 2^-n), exactly.
// Source: the repetition count test of NIST SP 800-90B, 4.4.1, doi:10.6028/NIST.SP.800-90B, bit by
// bit.
// Parameters: none.

#include <stdio.h>

#include "stats/battery/catalogue.h"
#include "stats/kernel/kernel.h"

enum { UNIT_LOG2 = 16, LANES = 8, STRIDES = 4, LEVELS = 3, BITS = 32, RUN = 16, RUNS = 4 };
enum { STILL, TURNING, KINDS };

// What 16 changes in a row leave of each bit, run by run, and in a run lane by lane: words of the
// same number modulo the stride.
struct table {
    uint32_t kept[KINDS][1 << (UNIT_LOG2 - 4)];
};
_Static_assert(RUN == 1 << 4, "a unit has a word of each kind for sixteen of its own");

static unsigned ones(uint32_t x)
{
    unsigned n = 0;
    for (; x; x &= x - 1)
        n++;
    return n;
}

// The run at `kept`: alone; with the one before; with three before.
static void add(const uint32_t *kept, size_t number, size_t stride, uint64_t count[LEVELS])
{
    uint32_t left = *kept;
    count[0] += ones(left);
    if (number % 2 == 0)
        return;
    left &= *(kept - stride);
    count[1] += ones(left);
    if (number % RUNS == RUNS - 1)
        count[2] += ones(left & *(kept - 2 * stride) & *(kept - 3 * stride));
}

// Runs that a unit has: the first words have none before them.
static size_t runs_of(size_t stride)
{
    return (((size_t)1 << UNIT_LOG2) - LANES) / (RUN * stride);
}

static void count_spells(const struct test *test, const uint32_t *words, const struct counts *to)
{
    struct table *const table = to->scratch;
    (void)test;
    for (unsigned s = 0; s < STRIDES; s++) {
        const size_t stride = (size_t)1 << s, lanes = runs_of(stride) << s;
        kernel_chosen()->spells(words + LANES, runs_of(stride), stride, table->kept[STILL],
                                table->kept[TURNING]);
        for (unsigned kind = 0; kind < KINDS; kind++)
            for (size_t i = 0; i < lanes; i++)
                if (table->kept[kind][i]) // seldom
                    add(&table->kept[kind][i], i >> s, stride,
                        to->count + (s * KINDS + kind) * LEVELS);
    }
}

static void judge_spells(const struct totals *total, struct judgement *judgement)
{
    for (unsigned i = 0; i < STRIDES * KINDS * LEVELS; i++) {
        const size_t stride = (size_t)1 << i / (KINDS * LEVELS);
        const unsigned level = i % LEVELS;
        const uint64_t groups = total->units * (runs_of(stride) >> level);
        double chance = 1;
        for (unsigned change = 0; change < (unsigned)RUN << level; change++)
            chance /= 2;
        judgement_add_rare(judgement, i, total->count[i], groups * stride * BITS, chance);
    }
}

static void describe_spells(const struct test *test, uint32_t index, char *text, size_t size)
{
    (void)test;
    snprintf(text, size, "bits that %s the word %u before, %u times in a row",
             index / LEVELS % KINDS ? "differ from" : "are those of",
             1u << index / (KINDS * LEVELS), (unsigned)RUN << index % LEVELS);
}

struct test test_spells(void)
{
    return (struct test){TEST_FUNCTIONS(spells), .about = "for a while a bit keeps still",
                         .unit_log2 = UNIT_LOG2, .counts = STRIDES * KINDS * LEVELS,
                         .scratch = sizeof(struct table)};
}
