// SPDX-License-Identifier: Apache-2.0
// Bits of a word, and whole words, against functions of two of the last twelve: products, ands and
// ors, means, reflections, the lesser and the greater, carries. formulas.c asks of sums,
// differences and exclusive ors.
// Null: given the words before, a word is uniform, so each of its bits is that of any function of
// them with the chance 1/2, the whole word with 2^-32, and of whole words only too many speak
// against the source: binomial, exactly.
// Source: Knuth, volume 2, 3.2.2 and 3.3.2; Marsaglia and Zaman, doi:10.1214/aoap/1177005878
// (carries).

#include <stdio.h>
#include <string.h>

#include "stats/kernel/kernel.h"
#include "stats/battery/catalogue.h"

enum {
    UNIT_LOG2 = 16,
    LAGS = 12,
    FROM = 256, // of the words that are looked at
    PLACES = (1 << UNIT_LOG2) - FROM,
    PAIRS = LAGS * (LAGS + 1) / 2,
    FIGURES = 33 // 32 bits, the whole word
};

enum {
    LOW_PRODUCT,
    HIGH_PRODUCT,
    AND,
    OR,
    MEAN,
    BEYOND_NEARER,
    BEYOND_FARTHER,
    LESSER,
    GREATER,
    CARRIES,
    FORMS
};

static const char *const said[FORMS] = {"the product",
                                        "the high half of the product",
                                        "the and",
                                        "the or",
                                        "the mean",
                                        "twice the nearer less the farther",
                                        "twice the farther less the nearer",
                                        "the lesser",
                                        "the greater",
                                        "the carries of the sum"};

static inline uint32_t value_of(unsigned form, uint32_t a, uint32_t b)
{
    switch (form) {
    case LOW_PRODUCT:
        return a * b;
    case HIGH_PRODUCT:
        return (uint32_t)((uint64_t)a * b >> 32);
    case AND:
        return a & b;
    case OR:
        return a | b;
    case MEAN:
        return (a & b) + ((a ^ b) >> 1);
    case BEYOND_NEARER:
        return 2 * a - b;
    case BEYOND_FARTHER:
        return 2 * b - a;
    case LESSER:
        return a < b ? a : b;
    case GREATER:
        return a < b ? b : a;
    default: { // into each bit; that out of the highest at the lowest
        const uint32_t out = (a & b) | ((a | b) & ~(a + b));
        return out << 1 | out >> 31;
    }
    }
}

struct room {
    uint32_t value[PLACES], word[PLACES];
};

static void count_pair_formulas(const struct test *test, const uint32_t *words,
                                const struct counts *to)
{
    (void)test;
    struct room *const room = to->scratch;
    const uint32_t *const x = words + FROM;
    uint64_t *slot = to->count;
    memcpy(room->word, x, sizeof room->word);
    for (size_t s = 1; s <= LAGS; s++)
        for (size_t r = 1; r <= s; r++)
            for (unsigned form = 0; form < FORMS; form++, slot += FIGURES) {
                uint64_t differs[KERNEL_POSITIONS] = {0}, event[2] = {0};
                for (size_t i = 0; i < PLACES; i++)
                    room->value[i] = value_of(form, x[i - r], x[i - s]);
                kernel_chosen()->lag(room->word, PLACES, PLACES, 0, differs, event);
                for (unsigned p = 0; p < KERNEL_POSITIONS; p++)
                    slot[p % 32] += differs[p];
                slot[32] += event[0];
            }
}

static void judge_pair_formulas(const struct totals *total, struct judgement *judgement)
{
    const uint64_t n = total->units * PLACES;
    for (uint32_t i = 0; i < total->test->counts; i++)
        if (i % FIGURES < 32)
            judgement_add_fair(judgement, i, total->count[i], n);
        else
            judgement_add_rare(judgement, i, total->count[i], n, 0x1p-32);
}

static void describe_pair_formulas(const struct test *test, uint32_t index, char *text, size_t size)
{
    (void)test;
    const unsigned figure = index % FIGURES, form = index / FIGURES % FORMS;
    unsigned s = 1, r = (unsigned)index / FIGURES / FORMS + 1;
    while (r > s)
        r -= s++;
    if (figure < 32)
        snprintf(text, size,
                 "fraction of differences at bit %u from %s of the words %u and %u before", figure,
                 said[form], r, s);
    else
        snprintf(text, size, "words that are %s of those %u and %u before", said[form], r, s);
}

struct test test_pair_formulas(void)
{
    return (struct test){TEST_FUNCTIONS(pair_formulas),
                         .about = "some words or bits are computed from two of the words before",
                         .unit_log2 = UNIT_LOG2, .counts = PAIRS * FORMS * FIGURES,
                         .scratch = sizeof(struct room)};
}
