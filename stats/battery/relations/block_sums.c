// SPDX-License-Identifier: Apache-2.0
// Check sums that are no sums modulo a power of two: words of a frame that add up to the same in
// ones' complement, or modulo 255 or 257, whatever the length of the frame, up to 4,096 words, and
// wherever it begins (rhythms.c asks of sums modulo powers of two).
// The sum of all words so far, modulo the number, is compared with that of each of 4,096 places
// before: the two are equal where the words between add up to a multiple.
// Null: of the 2^32 values of a word floor(2^32 / m) or one more make a multiple, whatever came
// before. Of one word the chance is known; of two and more it is 1 / m but for a part of (m
// 2^-32)^2 of it: binomial. Source: the Internet checksum, RFC 1071, doi:10.17487/RFC1071;
// Fletcher, doi:10.1109/TCOM.1982.1095369. Parameter: p[0] modulus, from 3 to 65,535.

#include <assert.h>
#include <stdio.h>

#include "stats/kernel/kernel.h"
#include "stats/law/null.h"
#include "stats/battery/catalogue.h"

enum { UNIT_LOG2 = 16, UNIT = 1 << UNIT_LOG2, LAGS = 4096, PART = 8192 };

static void count_block_sums(const struct test *test, const uint32_t *words,
                             const struct counts *to)
{
    uint32_t *const residue = to->scratch;
    uint16_t *const sum = (uint16_t *)(void *)(residue + UNIT);
    const uint32_t m = test->p[0];
    kernel_chosen()->residues(words, UNIT, m, residue);
    for (uint32_t i = 0, so_far = 0; i < UNIT; i++) {
        so_far += residue[i];
        so_far -= so_far >= m ? m : 0;
        sum[i] = (uint16_t)so_far;
    }
    for (size_t from = LAGS; from < UNIT; from += PART)
        for (size_t lag = 1; lag <= LAGS; lag++)
            to->count[lag - 1] += kernel_chosen()->equals(sum + from, sum + from - lag,
                                                          UNIT - from < PART ? UNIT - from : PART);
}

static void judge_block_sums(const struct totals *total, struct judgement *judgement)
{
    const unsigned m = total->test->p[0];
    for (uint32_t lag = 1; lag <= LAGS; lag++)
        judgement_add_binomial(judgement, lag, total->count[lag - 1], total->units * (UNIT - LAGS),
                               lag > 1 ? 1.0 / m : null_residue_probability(0, m, 32));
}

static void describe_block_sums(const struct test *test, uint32_t index, char *text, size_t size)
{
    snprintf(text, size, "%u words in a row whose sum is a multiple of %u", (unsigned)index,
             test->p[0]);
}

struct test test_block_sums(unsigned modulus)
{
    assert(modulus >= 3 && modulus < 65536);
    return (struct test){TEST_FUNCTIONS(block_sums),
                         .about = "words of a frame check each other",
                         .unit_log2 = UNIT_LOG2,
                         .counts = LAGS,
                         .scratch = UNIT * (sizeof(uint32_t) + sizeof(uint16_t)),
                         .p = {modulus}};
}
