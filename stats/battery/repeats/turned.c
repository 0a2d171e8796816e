// SPDX-License-Identifier: Apache-2.0
// Repeats anywhere of words that are turned, complemented or read from the other end: two words in
// a row are compared with all others by the class of either, which is the least of all that it can
// become so. What is kept depends on the class of the first word alone, as in duplicates.c.
// Null: a class has at most 128 words, so that two windows without a word in common have equal
// classes with a chance of at most 2^-50, and windows that overlap in one word of at most 2^-50 as
// well: given the first word, the second must be one of 128, and so must the third. Of n that are
// kept, one in 64.03 of all (counted over all 2^32 words), the equal pairs are held against
// Poisson's law of a mean of n (n - 1) / 2 64.1 2^-50, which is no smaller than theirs.
// Source: as duplicates.c.

#include <stdio.h>

#include "stats/kernel/kernel.h"
#include "stats/kernel/sort.h"
#include "stats/law/null.h"
#include "stats/battery/catalogue.h"

enum { UNIT_LOG2 = 16, UNIT = 1 << UNIT_LOG2, THINNING = 6 };

static void count_turned(const struct test *test, const uint32_t *words, const struct counts *to)
{
    (void)test;
    uint32_t *const class = to->scratch, *const at = class + UNIT;
    const size_t most =
        to->bag->count + ((size_t)UNIT >> THINNING) * 8; // of a source that is constant
    kernel_chosen()->classes(words, UNIT, class);
    const size_t found = kernel_chosen()->sample(class, UNIT, UINT32_MAX >> THINNING, at);
    for (size_t f = 0; f < found && at[f] + 1 < UNIT && to->bag->count < most; f++)
        bag_add(to->bag, class[at[f]] | (uint64_t) class[at[f] + 1] << 32);
}

static void judge_turned(const struct totals *total, struct judgement *judgement)
{
    if (!bag_sort(total->bag, 64))
        return;
    const uint64_t repeats = sorted_repeats_u64(total->bag->item, total->bag->count);
    const double n = (double)total->bag->count, mean = n * (n - 1) / 2 * 64.1 * 0x1p-50;
    judgement_add(judgement, 0, mean > 0 ? null_poisson_log_upper(repeats, mean) : 0,
                  (double)repeats, mean);
}

static void describe_turned(const struct test *test, uint32_t index, char *text, size_t size)
{
    (void)test, (void)index;
    snprintf(text, size,
             "repeated windows of 2 words that may be turned, complemented or read "
             "from the other end");
}

struct test test_turned(void)
{
    return (struct test){
        TEST_FUNCTIONS(turned), .about = "the source repeats itself, turned or complemented",
        .unit_log2 = UNIT_LOG2, .scratch = 2 * UNIT * sizeof(uint32_t), .keeps = true};
}
