// SPDX-License-Identifier: Apache-2.0
// Ones at each bit position within short runs of words: does their number vary as much as it
// should? A bias that comes and goes, or changes sign, leaves the total alone and shows here. So
// does a position that is balanced too well. Of neighbouring bits, whether they differ: the two
// highest do where a value is near the middle, so a spread that comes and goes, or is kept even,
// shows there.
// Null: with d = 2 ones - n in a run of n words, d^2 / n is a squared standardised binomial. Its
// sum over B runs has mean B and variance B (2 - 2/n), exactly. It is compared with the chi-square
// law of B degrees of freedom, whose tail is heavier for n >= 512. Sums of d^2 are integers.
// Source: index of dispersion, Fisher 1925; Cochran 1954, doi:10.2307/3001616.
// That bits differ from the next higher ones is a bijection of words.
// Parameters: p[0] log2 of words in a run, p[1] 1 where bits are compared with the next higher
// ones.

#include <assert.h>
#include <stdbool.h>
#include <stdio.h>

#include "stats/kernel/kernel.h"
#include "stats/law/null.h"
#include "stats/battery/catalogue.h"

enum { UNIT_LOG2 = 16, POSITIONS = 32 };

static void count_steadiness(const struct test *test, const uint32_t *words,
                             const struct counts *to)
{
    const size_t run = (size_t)1 << test->p[0], unit = (size_t)1 << test->unit_log2;
    uint32_t *const differs = to->scratch;
    for (size_t i = 0; test->p[1] && i < unit; i++)
        differs[i] = words[i] ^ words[i] >> 1;
    for (size_t i = 0; i < unit; i += run) {
        uint64_t position[KERNEL_POSITIONS] = {0}, ones[POSITIONS] = {0};
        kernel_chosen()->positions((test->p[1] ? differs : words) + i, run, position);
        for (unsigned p = 0; p < KERNEL_POSITIONS; p++)
            ones[p % POSITIONS] += position[p];
        for (unsigned p = 0; p < POSITIONS; p++) {
            const int64_t d = 2 * (int64_t)ones[p] - (int64_t)run;
            to->count[p] += (uint64_t)(d * d);
        }
    }
}

static void judge_steadiness(const struct totals *total, struct judgement *judgement)
{
    const double run = (double)(1u << total->test->p[0]),
                 runs = (double)(total->units << (total->test->unit_log2 - total->test->p[0]));
    double all = false;
    for (unsigned p = 0; p <= POSITIONS; p++) {
        const double sum = p < POSITIONS ? (double)total->count[p] / run : all,
                     df = p < POSITIONS ? runs : runs * POSITIONS;
        if (p < POSITIONS)
            all += sum;
        if (df < 16)
            continue;
        const double lower = null_chi_square_log_lower(sum, df),
                     upper = null_chi_square_log_upper(sum, df);
        const double log_p = 0.6931471805599453 + (lower < upper ? lower : upper);
        judgement_add(judgement, p, log_p < 0 ? log_p : 0, sum / df, 1);
    }
}

static void describe_steadiness(const struct test *test, uint32_t index, char *text, size_t size)
{
    char position[32] = "all bits";
    if (index < POSITIONS)
        snprintf(position, sizeof position, "bit %u", (unsigned)index);
    snprintf(text, size, "dispersion of the ones of %s%s over runs of %u words", position,
             test->p[1] ? ", against the next higher one," : "", 1u << test->p[0]);
}

struct test test_steadiness(unsigned log2, bool neighbours)
{
    assert(log2 >= 9 && log2 <= 20);
    return (struct test){
        TEST_FUNCTIONS(steadiness),
        .about = "a bit's frequency changes with time, or is kept too even",
        .unit_log2 = log2 > UNIT_LOG2 ? log2 : UNIT_LOG2,
        .counts = POSITIONS,
        .scratch = neighbours ? sizeof(uint32_t) << (log2 > UNIT_LOG2 ? log2 : UNIT_LOG2) : 0,
        .p = {log2, neighbours}};
}
