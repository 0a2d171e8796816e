// SPDX-License-Identifier: Apache-2.0
// Words that are exactly the sum, a difference or the exclusive or of two words shortly before
// them: one such word in a hundred thousand is too few to bend any frequency, but exact equality
// hardly ever happens by chance.
// Null: given the two words before, a word is uniform: each event has the chance 2^-32 whatever
// came earlier: binomial, exactly; only too many speak against the source.
// Source: Knuth, volume 2, 3.2.2 (the defect of Fibonacci's sequence) and 3.3.2.
// Parameter: p[0] greatest distance in words.

#include <stdio.h>

#include "stats/kernel/kernel.h"
#include "stats/battery/catalogue.h"

enum { UNIT_LOG2 = 16, CHUNK = 256 };

static const char *const form[KERNEL_FORMULAS] = {
    "the sum of those", "the nearer less the farther of those",
    "the farther less the nearer of those", "the exclusive or of those"};

static void count_formulas(const struct test *test, const uint32_t *words, const struct counts *to)
{
    uint64_t *slot = to->count;
    for (unsigned s = 2; s <= test->p[0]; s++)
        for (unsigned r = 1; r < s; r++, slot += KERNEL_FORMULAS)
            kernel_chosen()->formulas(words + CHUNK, ((size_t)1 << test->unit_log2) - CHUNK, r, s,
                                      slot);
}

static void judge_formulas(const struct totals *total, struct judgement *judgement)
{
    const uint64_t n = total->units * (((uint64_t)1 << total->test->unit_log2) - CHUNK);
    for (uint32_t i = 0; i < total->test->counts; i++)
        judgement_add_rare(judgement, i, total->count[i], n, 0x1p-32);
}

static void describe_formulas(const struct test *test, uint32_t index, char *text, size_t size)
{
    (void)test;
    unsigned s = 2, pair = (unsigned)index / KERNEL_FORMULAS;
    while (pair >= s - 1)
        pair -= s++ - 1;
    snprintf(text, size, "words that are %s %u and %u before", form[index % KERNEL_FORMULAS],
             pair + 1, s);
}

struct test test_formulas(unsigned lags)
{
    return (struct test){
        TEST_FUNCTIONS(formulas), .about = "some words are computed from the words before them",
        .unit_log2 = UNIT_LOG2, .counts = lags * (lags - 1) / 2 * KERNEL_FORMULAS, .p = {lags}};
}
