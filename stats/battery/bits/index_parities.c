// SPDX-License-Identifier: Apache-2.0
// A bit of a word against parities of bits of the word's number: counters that are mixed too
// little, sequences made of the digits of a count (Thue and Morse), bits that come from an address.
// There are 65,536 masks of 16 bits of the number (0: none) and 32 bits of a word. For each mask
// and bit the number of words that agree with the parity, less that of those that do not, is
// squared (Walsh's transform). Squares are summed over bits and units: higher bits of the number
// turn the sign of a whole unit, and so make no difference.
// Null: a difference of N fair signs has E exp(t d^2 / N) <= (1 - 2 t)^(-1/2), being sub-Gaussian;
// bits and units are independent. By Markov's inequality P(sum >= y mean) <= (y e^(1 - y))^(D / 2)
// for y > 1, with D the number of bits times that of units. This bound is proven.
// Source: Walsh 1923; Hoeffding, doi:10.1080/01621459.1963.10500830; Matsui,
// doi:10.1007/3-540-48285-7_33 (linear approximations).

#include <stdio.h>

#include "stats/kernel/kernel.h"
#include "stats/battery/catalogue.h"
#include "stats/law/real.h"

enum { UNIT_LOG2 = 16, WORDS = 1 << UNIT_LOG2, BITS = 32, TOGETHER = 8 };

static void count_index_parities(const struct test *test, const uint32_t *words,
                                 const struct counts *to)
{
    (void)test;
    int32_t *const value = to->scratch;
    for (unsigned from = 0; from < BITS; from += TOGETHER) {
        for (size_t i = 0; i < WORDS; i++)
            for (unsigned k = 0; k < TOGETHER; k++)
                value[i * TOGETHER + k] = 1 - 2 * (int32_t)(words[i] >> (from + k) & 1);
        kernel_chosen()->walsh(value, WORDS);
        for (size_t mask = 0; mask < WORDS; mask++)
            for (unsigned k = 0; k < TOGETHER; k++) {
                const int64_t d = value[mask * TOGETHER + k];
                to->count[mask] += (uint64_t)(d * d);
            }
    }
}

static void judge_index_parities(const struct totals *total, struct judgement *judgement)
{
    const double differences = (double)total->units * BITS;
    for (uint32_t mask = 0; mask < WORDS; mask++) {
        const double y = (double)total->count[mask] / (differences * WORDS);
        judgement_add(judgement, mask, y > 1 ? differences / 2 * (1 - y + real_log(y)) : 0, y, 1);
    }
}

static void describe_index_parities(const struct test *test, uint32_t index, char *text,
                                    size_t size)
{
    (void)test;
    snprintf(text, size,
             "squared excess of bits that agree with the parity of a word's number under mask "
             "0x%04x",
             (unsigned)index);
}

struct test test_index_parities(void)
{
    return (struct test){TEST_FUNCTIONS(index_parities),
                         .about = "bits depend on the word's number", .unit_log2 = UNIT_LOG2,
                         .counts = WORDS, .scratch = sizeof(int32_t) * TOGETHER * WORDS};
}
