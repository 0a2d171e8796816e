// SPDX-License-Identifier: Apache-2.0
// Linear complexity of one bit of every `stride`-th word, for every stride up to a limit and every
// place within it: one lane of a stream that follows a short recurrence while the others do not.
// Null: Rueppel's law for each sequence; for the smallest and the largest of them the sum of the
// chances (Boole's inequality), which holds however the sequences overlap.
// Source: as linear.c, doi:10.1109/TIT.1969.1054260.
// Parameters: p[0] bit, p[1] least stride, p[2] greatest.

#include <assert.h>
#include <stdio.h>

#include "stats/kernel/kernel.h"
#include "stats/law/null.h"
#include "stats/law/real.h"
#include "stats/battery/catalogue.h"

enum { UNIT_LOG2 = 18, LENGTH = KERNEL_SEQUENCE, CELLS = LENGTH + 1 };

static void count_lanes(const struct test *test, const uint32_t *words, const struct counts *to)
{
    for (size_t stride = test->p[1]; stride <= test->p[2]; stride++)
        kernel_chosen()->complexities(words, stride, test->p[0], to->count);
}

static void judge_lanes(const struct totals *total, struct judgement *judgement)
{
    const double first = total->test->p[1], last = total->test->p[2];
    const double log_sequences =
        real_log((double)total->units * (last * (last + 1) - first * (first - 1)) / 2);
    unsigned low = 0, high = LENGTH;
    while (low < LENGTH && !total->count[low])
        low++;
    while (high > 0 && !total->count[high])
        high--;
    const double lower = null_linear_complexity_log_lower(low, LENGTH) + log_sequences;
    const double upper = null_linear_complexity_log_upper(high, LENGTH) + log_sequences;
    judgement_add(judgement, 0, lower < 0 ? lower : 0, low, LENGTH / 2);
    judgement_add(judgement, 1, upper < 0 ? upper : 0, high, LENGTH / 2);
}

static void describe_lanes(const struct test *test, uint32_t index, char *text, size_t size)
{
    snprintf(text, size,
             "%s linear complexity of %d values of bit %u, of every k-th word, k from %u to %u",
             index ? "largest" : "smallest", (int)LENGTH, test->p[0], test->p[1], test->p[2]);
}

struct test test_lanes(unsigned bit, unsigned first, unsigned last)
{
    assert(bit < 32 && first >= 1 && first <= last);
    assert(last * LENGTH + 15 <= 1 << UNIT_LOG2); // a vector may reach so far beyond
    return (struct test){TEST_FUNCTIONS(lanes),
                         .about = "every k-th word comes from a short recurrence",
                         .unit_log2 = UNIT_LOG2, .counts = CELLS, .p = {bit, first, last}};
}
