// SPDX-License-Identifier: Apache-2.0
// Differences of high order: the k-th difference of GROUP successive words near zero, modulo 2^32,
// for k from 1 to ORDERS. Sums of sums of a counter are a polynomial of the place, whose
// differences vanish however high its degree is, up to low bits that are not shown.
// Null: the last word of a group has the factor 1 in its difference and is in no other group's, so
// that each difference is uniform and groups are independent: Binomial(groups, (2 NEAR + 1) /
// 2^32), exactly.
// Source: Wikramaratna, doi:10.1016/0021-9991(89)90221-0 (additive congruential generators of order
// k); differences as in Knuth, volume 2, 3.2.2.

#include <stdio.h>

#include "stats/battery/catalogue.h"

enum { UNIT_LOG2 = 16, GROUP = 32, GROUPS = (1 << UNIT_LOG2) / GROUP, ORDERS = 24, NEAR = 1 << 20 };

static void count_differences(const struct test *test, const uint32_t *words,
                              const struct counts *to)
{
    (void)test;
    for (size_t g = 0; g < GROUPS; g++) {
        uint32_t d[GROUP];
        for (unsigned i = 0; i < GROUP; i++)
            d[i] = words[g * GROUP + i];
        for (unsigned k = 1; k <= ORDERS; k++) {
            for (unsigned i = GROUP - 1; i >= k; i--)
                d[i] -= d[i - 1];
            to->count[k - 1] += d[GROUP - 1] + NEAR <= 2u * NEAR;
        }
    }
}

static void judge_differences(const struct totals *total, struct judgement *judgement)
{
    for (uint32_t k = 0; k < ORDERS; k++)
        judgement_add_binomial(judgement, k, total->count[k], total->units * GROUPS,
                               (2.0 * NEAR + 1) / 0x1p32);
}

static void describe_differences(const struct test *test, uint32_t index, char *text, size_t size)
{
    (void)test;
    snprintf(text, size, "differences of order %u near zero", (unsigned)index + 1);
}

struct test test_differences(void)
{
    return (struct test){TEST_FUNCTIONS(differences), .about = "words are values of a polynomial",
                         .unit_log2 = UNIT_LOG2, .counts = ORDERS};
}
