// SPDX-License-Identifier: Apache-2.0
// Values modulo primes that are too large for residue_pairs, or values that are not whole words:
// numbers that never are multiples, or that leave some remainders too often (squares, say). The
// value is the high bits of a word: 32 or 64 for the whole of it, 24 and 53 for what becomes the
// fraction of a float or a double.
// Null: of 2^bits values floor(2^bits / p) or one more leave each remainder: chi-square of these
// cells; multiples, and those that leave the remainder of a square (but 0), are binomial, exactly.
// Source: Knuth, volume 2, 3.3.2 A.
// Parameter: p[0] bits of a value, 24, 32, 53 or 64.

#include <assert.h>
#include <stdbool.h>
#include <stdio.h>

#include "stats/battery/catalogue.h"
#include "stats/battery/values/residues.h"
#include "stats/law/null.h"

enum { UNIT_LOG2 = 16, UNIT = 1 << UNIT_LOG2, LAST = 1021, CHUNK = 1024 };

// Words have been held against smaller primes by residue_pairs.
static unsigned first_prime(const struct test *test)
{
    return test->p[0] % 32 ? 3 : 67;
}

static void count_remainders(const struct test *test, const uint32_t *words,
                             const struct counts *to)
{
    uint32_t *const high = to->scratch, *const remainder = high + UNIT;
    uint64_t *cell = to->count;
    residues_take_high(words, UNIT, test->p[0], high);
    for (unsigned p = first_prime(test); p <= LAST; cell += p, p = residues_prime_from(p + 2))
        for (size_t i = 0; i < UNIT; i += CHUNK) {
            const size_t values =
                residues_find(high + i, CHUNK, residues_word_bits(test->p[0]), p, remainder);
            for (size_t j = 0; j < values; j++)
                cell[remainder[j]]++;
        }
}

// Hypotheses of the prime p: FIGURES * p and what follows.
enum { CELLS, MULTIPLES, SQUARES, FIGURES };

static void judge_prime(struct judgement *judgement, unsigned p, const uint64_t *cell,
                        const double *chance, uint64_t n)
{
    bool is_square[LAST] = {false};
    uint64_t squares = 0;
    double chance_of_square = 0;
    for (unsigned r = 1; r <= p / 2; r++)
        is_square[r * r % p] = true;
    for (unsigned r = 1; r < p; r++) {
        squares += is_square[r] ? cell[r] : 0;
        chance_of_square += is_square[r] ? chance[r] : 0;
    }
    judgement_add_cells(judgement, FIGURES * p + CELLS, cell, chance, p, p < 256 ? 100 : 25);
    judgement_add_binomial(judgement, FIGURES * p + MULTIPLES, cell[0], n, chance[0]);
    judgement_add_binomial(judgement, FIGURES * p + SQUARES, squares, n, chance_of_square);
}

static void judge_remainders(const struct totals *total, struct judgement *judgement)
{
    const unsigned bits = total->test->p[0];
    const uint64_t n = (total->units << UNIT_LOG2) * 32 / residues_word_bits(bits);
    const uint64_t *cell = total->count;
    double chance[LAST];
    for (unsigned p = first_prime(total->test); p <= LAST;
         cell += p, p = residues_prime_from(p + 2)) {
        if (judgement->only != UINT32_MAX && judgement->only / FIGURES != p)
            continue;
        for (unsigned r = 0; r < p; r++)
            chance[r] = null_residue_probability(r, p, bits);
        judge_prime(judgement, p, cell, chance, n);
    }
}

static void describe_remainders(const struct test *test, uint32_t index, char *text, size_t size)
{
    static const char *const figure[FIGURES] = {"chi-square", "multiples", "squares"};
    char high[32] = "";
    if (test->p[0] % 32)
        snprintf(high, sizeof high, "the high %u bits of ", test->p[0]);
    snprintf(text, size, "%s of %swords of %u bits modulo %u", figure[index % FIGURES], high,
             residues_word_bits(test->p[0]), (unsigned)index / FIGURES);
}

struct test test_remainders(unsigned bits)
{
    assert(bits == 24 || bits == 32 || bits == 53 || bits == 64);
    struct test test = {
        TEST_FUNCTIONS(remainders), .about = "values leave some remainders more often than others",
        .unit_log2 = UNIT_LOG2, .scratch = (UNIT + CHUNK) * sizeof(uint32_t), .p = {bits}};
    for (unsigned p = first_prime(&test); p <= LAST; p = residues_prime_from(p + 2))
        test.counts += p;
    return test;
}
