// SPDX-License-Identifier: Apache-2.0
// Words modulo numbers that are no powers of two: values that were counted, scaled or cut in
// decimal, thirds of a range, multiples. One table for a modulus of many factors holds the residues
// for each of its divisors. Null: of 2^32 words floor(2^32 / m) or one more have each residue:
// multinomial with exactly these cells; chi-square for the modulus and each divisor from 3 on; for
// each divisor up to 1,000 the multiples are binomial, exactly. Source: Knuth, volume 2, 3.3.2 A;
// Lemire, doi:10.1145/3230636 (how residues and multiplications become uneven). Parameter: p[0]
// modulus.

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stats/law/null.h"
#include "stats/battery/catalogue.h"

enum { UNIT_LOG2 = 16, MULTIPLES_BELOW = 1001 };

// How many of 2^32 words leave the residue.
static double words_with(uint32_t residue, uint32_t modulus)
{
    const uint64_t all = UINT64_C(1) << 32;
    return (double)(all / modulus + (residue < all % modulus));
}

static void count_residues(const struct test *test, const uint32_t *words, const struct counts *to)
{
    const uint32_t modulus = test->p[0];
    for (size_t i = 0; i < (size_t)1 << test->unit_log2; i++)
        to->count[words[i] % modulus]++;
}

static void judge_residues(const struct totals *total, struct judgement *judgement)
{
    const uint32_t modulus = total->test->p[0];
    const uint64_t n = total->units << total->test->unit_log2;
    double *const probability = malloc(modulus * sizeof *probability);
    uint64_t *const folded = malloc(modulus * sizeof *folded);
    if (!probability || !folded) {
        free(probability);
        free(folded);
        total->bag->failed = true;
        return;
    }
    for (uint32_t divisor = 3; divisor <= modulus; divisor++) {
        if (modulus % divisor || !(divisor & (divisor - 1)))
            continue;
        memset(folded, 0, divisor * sizeof *folded);
        for (uint32_t r = 0; r < modulus; r++)
            folded[r % divisor] += total->count[r];
        for (uint32_t r = 0; r < divisor; r++)
            probability[r] = words_with(r, divisor) * 0x1p-32;
        judgement_add_cells(judgement, 2 * divisor, folded, probability, divisor,
                            divisor < 256 ? 100 : 25);
        if (divisor < MULTIPLES_BELOW)
            judgement_add_binomial(judgement, 2 * divisor + 1, folded[0], n, probability[0]);
    }
    free(probability);
    free(folded);
}

static void describe_residues(const struct test *test, uint32_t index, char *text, size_t size)
{
    (void)test;
    if (index % 2)
        snprintf(text, size, "words that are multiples of %u", (unsigned)index / 2);
    else
        snprintf(text, size, "chi-square of words modulo %u", (unsigned)index / 2);
}

struct test test_residues(unsigned modulus)
{
    return (struct test){.name = "residues",
                         .about = "words leave some remainders more often than others",
                         .unit_log2 = UNIT_LOG2,
                         .counts = modulus,
                         .count = count_residues,
                         .judge = judge_residues,
                         .describe = describe_residues,
                         .p = {modulus}};
}
