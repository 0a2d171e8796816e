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
#include <string.h>

#include "stats/battery/catalogue.h"

enum { UNIT_LOG2 = 16, LANES = 8, STRIDES = 4, LEVELS = 3, BITS = 32, RUN = 16, RUNS = 4 };
enum { STILL, TURNING, KINDS };

// What 16 changes in a row leave of each bit; entry l is of words whose number modulo the stride is
// l.
struct run {
    uint32_t kept[KINDS][LANES];
};

static struct run look_at(const uint32_t *word, size_t stride)
{
    struct run run;
    memset(&run, 0xff, sizeof run);
    for (size_t i = 0; i < RUN * stride; i += LANES)
        for (size_t l = 0; l < LANES; l++) {
            const uint32_t change = word[i + l] ^ word[i + l - stride];
            run.kept[STILL][l] &= ~change;
            run.kept[TURNING][l] &= change;
        }
    for (size_t half = LANES / 2; half >= stride; half /= 2)
        for (unsigned kind = 0; kind < KINDS; kind++)
            for (size_t l = 0; l < half; l++)
                run.kept[kind][l] &= run.kept[kind][l + half];
    return run;
}

static unsigned ones(uint32_t x)
{
    unsigned n = 0;
    for (; x; x &= x - 1)
        n++;
    return n;
}

// The run `number`, of which the last four are kept: alone; with the one before; with three before.
static void add(const struct run run[RUNS], size_t number, unsigned kind, size_t lane,
                uint64_t count[LEVELS])
{
    uint32_t kept = run[number % RUNS].kept[kind][lane];
    count[0] += ones(kept);
    if (number % 2 == 0)
        return;
    kept &= run[(number - 1) % RUNS].kept[kind][lane];
    count[1] += ones(kept);
    if (number % RUNS == RUNS - 1)
        count[2] += ones(kept & run[1].kept[kind][lane] & run[0].kept[kind][lane]);
}

// Runs that a unit has: the first words have none before them.
static size_t runs_of(size_t stride)
{
    return (((size_t)1 << UNIT_LOG2) - LANES) / (RUN * stride);
}

static void count_spells(const struct test *test, const uint32_t *words, const struct counts *to)
{
    (void)test;
    for (unsigned s = 0; s < STRIDES; s++) {
        const size_t stride = (size_t)1 << s;
        struct run run[RUNS];
        for (size_t r = 0; r < runs_of(stride); r++) {
            run[r % RUNS] = look_at(words + LANES + r * RUN * stride, stride);
            for (unsigned kind = 0; kind < KINDS; kind++)
                for (size_t lane = 0; lane < stride; lane++)
                    add(run, r, kind, lane, to->count + (s * KINDS + kind) * LEVELS);
        }
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
                         .unit_log2 = UNIT_LOG2, .counts = STRIDES * KINDS * LEVELS};
}
