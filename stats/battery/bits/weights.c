// SPDX-License-Identifier: Apache-2.0
// Hamming weights: of words and of the exclusive or of pairs (`weights`), of tuples of consecutive
// words in classes (`weight_tuples`), and of blocks of 2^k words (`balance`: too steady is found as
// well as too wild).
// Null: a word's weight is Binomial(32, 1/2), odd with the chance 1/2; a block's Binomial(32 * 2^k,
// 1/2), tuples are independent; chi-square over cells pooled to an expectation of 25. Tuples do not
// overlap, as overlapping ones have no chi-square law.
// Source: L'Ecuyer, Simard, doi:10.1145/305638.305642; Blackman, Vigna, doi:10.1145/3527582.

#include <stdio.h>
#include <stdlib.h>

#include "stats/kernel/kernel.h"
#include "stats/law/null.h"
#include "stats/law/real.h"
#include "stats/battery/catalogue.h"

enum { WEIGHTS = 33, BALANCE_SPAN = 512, BALANCE_CELLS = 2 * BALANCE_SPAN + 1 };

static void binomial_masses(unsigned n, double *mass)
{
    for (unsigned k = 0; k <= n; k++)
        mass[k] = real_exp(null_binomial_log_mass(k, n, 0.5));
}

static void count_weights(const struct test *test, const uint32_t *words, const struct counts *to)
{
    kernel_chosen()->weights(words, (size_t)1 << test->unit_log2, to->count, to->count + WEIGHTS);
}

static void judge_weights(const struct totals *total, struct judgement *judgement)
{
    double mass[WEIGHTS];
    binomial_masses(32, mass);
    for (unsigned t = 0; t < 2; t++) {
        const uint64_t *const count = total->count + (size_t)t * WEIGHTS;
        uint64_t odd = 0;
        for (unsigned w = 1; w < WEIGHTS; w += 2)
            odd += count[w];
        judgement_add_cells(judgement, t, count, mass, WEIGHTS, 100);
        judgement_add_fair(judgement, 2 + t, odd, total->units << total->test->unit_log2 >> t);
    }
}

static void describe_weights(const struct test *test, uint32_t index, char *text, size_t size)
{
    (void)test;
    snprintf(text, size, "%s %s",
             index < 2 ? "chi-square of the number of ones in"
                       : "fraction of odd numbers of ones in",
             index % 2 ? "the exclusive or of neighbours" : "words");
}

struct test test_weights(void)
{
    return (struct test){TEST_FUNCTIONS(weights),
                         .about = "the number of ones in a word is not as fair coins give it",
                         .unit_log2 = 16, .counts = 2 * WEIGHTS};
}

// Classes of a weight: fewer than 2, 3 or 4 thresholds from the table. p[0] words in a tuple, p[1]
// classes, p[2] tuples' cells.
static unsigned class_of(unsigned classes, unsigned weight)
{
    static const unsigned char threshold[5][4] = {{0}, {0}, {16}, {15, 18}, {15, 17, 19}};
    unsigned c = 0;
    while (c + 1 < classes && weight >= threshold[classes][c])
        c++;
    return c;
}

static void count_weight_tuples(const struct test *test, const uint32_t *words,
                                const struct counts *to)
{
    const unsigned length = test->p[0], classes = test->p[1];
    const size_t unit = (size_t)1 << test->unit_log2;
    uint8_t *const ones = to->scratch;
    kernel_chosen()->popcounts(words, unit, ones);
    unsigned char class[WEIGHTS];
    for (unsigned w = 0; w < WEIGHTS; w++)
        class[w] = (unsigned char)class_of(classes, w);
    for (size_t i = 0; i + length <= unit; i += length) {
        unsigned cell = 0;
        for (unsigned j = 0; j < length; j++)
            cell = cell * classes + class[ones[i + j]];
        to->count[cell]++;
    }
}

static void judge_weight_tuples(const struct totals *total, struct judgement *judgement)
{
    const unsigned length = total->test->p[0], classes = total->test->p[1];
    double mass[WEIGHTS], in_class[4] = {0};
    binomial_masses(32, mass);
    for (unsigned w = 0; w < WEIGHTS; w++)
        in_class[class_of(classes, w)] += mass[w];
    double *const probability = malloc(total->test->counts * sizeof *probability);
    if (!probability) {
        total->bag->failed = true;
        return;
    }
    for (unsigned cell = 0; cell < total->test->counts; cell++) {
        double p = 1;
        for (unsigned j = 0, rest = cell; j < length; j++, rest /= classes)
            p *= in_class[rest % classes];
        probability[cell] = p;
    }
    judgement_add_cells(judgement, 0, total->count, probability, total->test->counts, 25);
    free(probability);
}

static void describe_weight_tuples(const struct test *test, uint32_t index, char *text, size_t size)
{
    (void)index;
    snprintf(text, size, "chi-square of %u consecutive words in %u classes of weight", test->p[0],
             test->p[1]);
}

struct test test_weight_tuples(unsigned words, unsigned classes)
{
    unsigned cells = 1;
    for (unsigned i = 0; i < words; i++)
        cells *= classes;
    return (struct test){TEST_FUNCTIONS(weight_tuples),
                         .about = "the number of ones in a word depends on the words before it",
                         .unit_log2 = 16,
                         .counts = cells,
                         .scratch = (size_t)1 << 16,
                         .p = {words, classes}};
}

// A block's ones less half its bits, in steps of p[1] bits, cut at BALANCE_SPAN steps either way.
// p[0] is k.
static void count_balance(const struct test *test, const uint32_t *words, const struct counts *to)
{
    const size_t unit = (size_t)1 << test->unit_log2, block = (size_t)1 << test->p[0];
    const int32_t half = (int32_t)(block * 16), step = (int32_t)test->p[1];
    uint8_t *const ones = to->scratch;
    kernel_chosen()->popcounts(words, unit, ones);
    for (size_t i = 0; i < unit; i += block) {
        int32_t sum = 0;
        for (size_t j = 0; j < block; j++)
            sum += ones[i + j];
        int32_t away = (sum - half + BALANCE_SPAN * step) / step;
        away = sum - half < -BALANCE_SPAN * step ? 0
               : away >= BALANCE_CELLS           ? BALANCE_CELLS - 1
                                                 : away;
        to->count[away]++;
    }
}

static void judge_balance(const struct totals *total, struct judgement *judgement)
{
    const uint64_t bits = UINT64_C(32) << total->test->p[0], step = total->test->p[1],
                   n = total->units << (total->test->unit_log2 - total->test->p[0]);
    // Cell c holds the sums from bits / 2 + (c - SPAN) step on; the outermost cells hold the tails.
    double probability[BALANCE_CELLS];
    for (unsigned c = 0; c < BALANCE_CELLS; c++) {
        const int64_t from = (int64_t)(bits / 2) + ((int64_t)c - BALANCE_SPAN) * (int64_t)step;
        double p = 0;
        for (int64_t k = from; k < from + (int64_t)step; k++)
            if (k >= 0 && k <= (int64_t)bits)
                p += real_exp(null_binomial_log_mass((uint64_t)k, bits, 0.5));
        probability[c] = p;
    }
    judgement_add_cells(judgement, 0, total->count, probability, BALANCE_CELLS, 25);
    // The extremes: few blocks, or one monstrous one.
    unsigned low = 0, high = BALANCE_CELLS - 1;
    while (low < BALANCE_CELLS - 1 && !total->count[low])
        low++;
    while (high > 0 && !total->count[high])
        high--;
    const int64_t lowest =
        (int64_t)(bits / 2) + ((int64_t)low - BALANCE_SPAN + 1) * (int64_t)step - 1;
    const int64_t highest = (int64_t)(bits / 2) + ((int64_t)high - BALANCE_SPAN) * (int64_t)step;
    const double log_n = real_log((double)n);
    const double lower =
        null_binomial_log_lower(lowest < 0 ? 0 : (uint64_t)lowest, bits, 0.5) + log_n;
    const double upper = null_binomial_log_upper((uint64_t)highest, bits, 0.5) + log_n;
    judgement_add(judgement, 1, lower < 0 ? lower : 0, (double)lowest, (double)bits / 2);
    judgement_add(judgement, 2, upper < 0 ? upper : 0, (double)highest, (double)bits / 2);
    // Steadiness: how many blocks lie within half a deviation of the mean.
    uint64_t inside = 0;
    double expected = 0;
    const double deviation = 0.5 * (1u << (total->test->p[0] / 2)) * 2.8284271247461903 *
                             (total->test->p[0] % 2 ? 1.4142135623730951 : 1);
    for (unsigned c = 0; c < BALANCE_CELLS; c++) {
        const double centre = ((double)c - BALANCE_SPAN) * (double)step;
        if (centre > -0.6 * deviation && centre < 0.6 * deviation) {
            inside += total->count[c];
            expected += probability[c];
        }
    }
    judgement_add_binomial(judgement, 3, inside, n, expected);
}

static void describe_balance(const struct test *test, uint32_t index, char *text, size_t size)
{
    static const char *const what[] = {"chi-square of the number of ones",
                                       "smallest number of ones", "largest number of ones",
                                       "fraction of moderate numbers of ones"};
    snprintf(text, size, "%s in blocks of %u words", what[index], 1u << test->p[0]);
}

struct test test_balance(unsigned log2)
{
    // Nine standard deviations on either side within BALANCE_SPAN steps.
    const unsigned deviation = (unsigned)(0.5 + 2.83 * real_exp(0.34657359 * log2));
    const unsigned step = 9 * deviation / BALANCE_SPAN + 1;
    return (struct test){TEST_FUNCTIONS(balance),
                         .about = "blocks hold too many, too few, or too evenly many ones",
                         .unit_log2 = log2 > 16 ? log2 : 16,
                         .counts = BALANCE_CELLS,
                         .scratch = (size_t)1 << (log2 > 16 ? log2 : 16),
                         .p = {log2, step}};
}
