// SPDX-License-Identifier: Apache-2.0
// Values modulo numbers that are no powers of two: values that were counted, scaled or cut in
// decimal, thirds of a range, multiples, classes that never come, residues that depend on those of
// the value before.
// - residues: words of 32 or 64 bits modulo a number of many factors, whose table holds the
//   residues for each of its divisors. Parameters: p[0] modulus, p[1] bits of a value.
// - residue_pairs: pairs of values of 16 (the halves of a word), 32 (the halves of a word of 64) or
//   64 bits, modulo every number up to PAIR_LAST: each of them, both together, their sum and their
//   difference. One table of pairs for each modulus above PAIR_LAST / 2, of one of which every
//   smaller number is a divisor. Parameter: p[0] bits of a value.
// Null: of 2^bits values floor(2^bits / m) or one more have each residue; values are independent:
// multinomial with exactly these cells, their products and sums of products; chi-square, and the
// multiples are binomial (of residues: of divisors up to 1,000), exactly.
// Source: Knuth, volume 2, 3.3.2 A and B; Lemire, doi:10.1145/3230636 (how residues and
// multiplications become uneven).

#include <assert.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stats/battery/catalogue.h"
#include "stats/battery/values/residues.h"
#include "stats/kernel/kernel.h"
#include "stats/law/null.h"

enum { UNIT_LOG2 = 16, UNIT = 1 << UNIT_LOG2, MULTIPLES_BELOW = 1001, CHUNK = 1024 };
enum { PAIR_LAST = 63, PAIR_FIRST = PAIR_LAST / 2 + 2, PAIR_CELLS = PAIR_LAST * PAIR_LAST };

static bool is_power_of_2(uint32_t x)
{
    return (x & (x - 1)) == 0;
}

size_t residues_find(const uint32_t *word, size_t words, unsigned bits, uint32_t modulus,
                     uint32_t *to)
{
    assert((bits == 32 || bits == 64) && modulus >= 2 && modulus <= 65536);
    if (bits == 32) {
        kernel_chosen()->residues(word, words, modulus, to);
        return words;
    }
    const uint32_t high = (uint32_t)((UINT64_C(1) << 32) % modulus);
    kernel_chosen()->residue_pairs(word, words, modulus, high, to); // below modulus^2
    kernel_chosen()->residues(to, words / 2, modulus, to);
    return words / 2;
}

unsigned residues_prime_from(unsigned p)
{
    for (p |= 1;; p += 2) {
        unsigned d = 3;
        while (d * d <= p && p % d)
            d += 2;
        if (d * d > p)
            return p;
    }
}

void residues_take_high(const uint32_t *word, size_t words, unsigned bits, uint32_t *to)
{
    const unsigned down = residues_word_bits(bits) - bits;
    if (residues_word_bits(bits) == 32)
        for (size_t i = 0; i < words; i++)
            to[i] = word[i] >> down;
    else
        for (size_t i = 0; i < words; i += 2) {
            const uint64_t value = (word[i] | (uint64_t)word[i + 1] << 32) >> down;
            to[i] = (uint32_t)value;
            to[i + 1] = (uint32_t)(value >> 32);
        }
}

static void count_residues(const struct test *test, const uint32_t *words, const struct counts *to)
{
    uint32_t *const residue = to->scratch;
    for (size_t i = 0; i < UNIT; i += CHUNK) {
        const size_t values = residues_find(words + i, CHUNK, test->p[1], test->p[0], residue);
        for (size_t j = 0; j < values; j++)
            to->count[residue[j]]++;
    }
}

static void judge_residues(const struct totals *total, struct judgement *judgement)
{
    const uint32_t modulus = total->test->p[0];
    const unsigned bits = total->test->p[1];
    const uint64_t n = (total->units << UNIT_LOG2) * 32 / bits;
    double *const probability = malloc(modulus * sizeof *probability);
    uint64_t *const folded = malloc(modulus * sizeof *folded);
    if (!probability || !folded) {
        free(probability);
        free(folded);
        total->bag->failed = true;
        return;
    }
    for (uint32_t divisor = 3; divisor <= modulus; divisor++) {
        const bool wanted = judgement->only == UINT32_MAX || judgement->only / 2 == divisor;
        if (modulus % divisor || is_power_of_2(divisor) || !wanted)
            continue;
        memset(folded, 0, divisor * sizeof *folded);
        for (uint32_t from = 0; from < modulus; from += divisor)
            for (uint32_t r = 0; r < divisor; r++)
                folded[r] += total->count[from + r];
        for (uint32_t r = 0; r < divisor; r++)
            probability[r] = null_residue_probability(r, divisor, bits);
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
    char words[24] = "words";
    if (test->p[1] != 32)
        snprintf(words, sizeof words, "words of %u bits", test->p[1]);
    if (index % 2)
        snprintf(text, size, "%s that are multiples of %u", words, (unsigned)index / 2);
    else
        snprintf(text, size, "chi-square of %s modulo %u", words, (unsigned)index / 2);
}

struct test test_residues(unsigned modulus, unsigned bits)
{
    assert(modulus >= 3 && modulus <= 65536 && (bits == 32 || bits == 64));
    return (struct test){TEST_FUNCTIONS(residues),
                         .about = "words leave some remainders more often than others",
                         .unit_log2 = UNIT_LOG2,
                         .counts = modulus,
                         .scratch = 2 * CHUNK * sizeof(uint32_t),
                         .p = {modulus, bits}};
}

enum pair_view { FIRST, SECOND, EITHER, SUM, DIFFERENCE, BOTH, VIEWS };
static const char *const view_name[VIEWS] = {
    "the first of two values", "the second of two values",     "values",
    "the sum of two values",   "the difference of two values", "two values"};

// Where the tables of pairs begin: that of the modulus PAIR_FIRST is the first.
static size_t pair_table(uint32_t modulus)
{
    size_t cells = 0;
    for (uint32_t m = PAIR_FIRST; m < modulus; m++)
        cells += (size_t)m * m;
    return cells;
}

static void split_halves(const uint32_t *word, size_t words, uint32_t *half)
{
    for (size_t i = 0; i < words; i++) {
        half[2 * i] = word[i] & 0xffff;
        half[2 * i + 1] = word[i] >> 16;
    }
}

// A pair's cell is the first residue plus the modulus times the second.
static void count_residue_pairs(const struct test *test, const uint32_t *words,
                                const struct counts *to)
{
    uint32_t *const pair = to->scratch;
    uint64_t *cell = to->count;
    const unsigned bits = test->p[0];
    const size_t pairs = CHUNK * 16 / bits;
    for (uint32_t m = PAIR_FIRST; m <= PAIR_LAST; cell += m * m, m++)
        for (size_t i = 0; i < UNIT; i += CHUNK) {
            if (bits == 16)
                split_halves(words + i, CHUNK, pair);
            else if (bits == 64)
                residues_find(words + i, CHUNK, 64, m, pair);
            kernel_chosen()->residue_pairs(bits == 32 ? words + i : pair, 2 * pairs, m, m, pair);
            for (size_t j = 0; j < pairs; j++)
                cell[pair[j]]++;
        }
}

// The tables of all views of the pairs modulo m, and their chances.
struct pair_views {
    uint64_t count[VIEWS][PAIR_CELLS];
    double chance[VIEWS][PAIR_CELLS];
};

static void view_pairs(const struct totals *total, uint32_t m, struct pair_views *views)
{
    const uint32_t table = PAIR_LAST / m * m;
    const uint64_t *const pair = total->count + pair_table(table);
    memset(views, 0, sizeof *views);
    for (uint32_t i = 0; i < table * table; i++)
        views->count[BOTH][i % table % m * m + i / table % m] += pair[i];
    for (uint32_t r = 0; r < m; r++)
        for (unsigned v = FIRST; v <= EITHER; v++)
            views->chance[v][r] = null_residue_probability(r, m, total->test->p[0]);
    for (uint32_t a = 0; a < m; a++)
        for (uint32_t b = 0; b < m; b++) {
            const uint32_t at[VIEWS] = {a, b, a, (a + b) % m, (a + m - b) % m, a * m + b};
            const uint64_t n = views->count[BOTH][a * m + b];
            const double p = views->chance[FIRST][a] * views->chance[SECOND][b];
            for (unsigned v = FIRST; v < BOTH; v++)
                views->count[v][at[v]] += n;
            views->count[EITHER][b] += n;
            for (unsigned v = SUM; v <= BOTH; v++)
                views->chance[v][at[v]] += p;
        }
}

static void judge_residue_pairs(const struct totals *total, struct judgement *judgement)
{
    const uint64_t pairs = (total->units << UNIT_LOG2) * 16 / total->test->p[0];
    struct pair_views *const views = malloc(sizeof *views);
    if (!views) {
        total->bag->failed = true;
        return;
    }
    for (uint32_t m = 3; m <= PAIR_LAST; m++) {
        const bool wanted = judgement->only == UINT32_MAX || judgement->only / (2 * VIEWS) == m;
        if (is_power_of_2(m) || !wanted)
            continue;
        view_pairs(total, m, views);
        for (unsigned v = 0; v < VIEWS; v++) {
            const uint32_t cells = v == BOTH ? m * m : m, index = (m * VIEWS + v) * 2;
            judgement_add_cells(judgement, index, views->count[v], views->chance[v], cells,
                                cells < 256 ? 100 : 25);
            if (v != BOTH)
                judgement_add_binomial(judgement, index + 1, views->count[v][0],
                                       v == EITHER ? 2 * pairs : pairs, views->chance[v][0]);
        }
    }
    free(views);
}

static void describe_residue_pairs(const struct test *test, uint32_t index, char *text, size_t size)
{
    const unsigned m = index / 2 / VIEWS, view = index / 2 % VIEWS;
    snprintf(text, size, "%s of %s of %u bits modulo %u", index % 2 ? "multiples" : "chi-square",
             view_name[view], test->p[0], m);
}

struct test test_residue_pairs(unsigned bits)
{
    assert(bits == 16 || bits == 32 || bits == 64);
    return (struct test){TEST_FUNCTIONS(residue_pairs),
                         .about = "values leave some remainders more often than others, or "
                                  "remainders depend on each other",
                         .unit_log2 = UNIT_LOG2,
                         .counts = (uint32_t)pair_table(PAIR_LAST + 1),
                         .scratch = 2 * CHUNK * sizeof(uint32_t),
                         .p = {bits}};
}
