// SPDX-License-Identifier: Apache-2.0
// Sixteen bits taken from one or more words, by pattern: how often each of the 65,536 combinations
// comes, and how often each of the 65,535 parities of those bits is even. The parities come from a
// Walsh-Hadamard transform in integers, so no spectrum is rounded.
// Null: multinomial with equal cells (chi-square); each cell alone and each parity alone is
// binomial, exactly.
// Source: serial test, Good 1953, doi:10.1017/S030500410002836X; Walsh spectrum, Yuen 1977,
// doi:10.1109/TC.1977.1674919.
// Parameter: p[0] pattern.
//
// quotients: a word divided by, or multiplied with, an earlier one that is made odd, modulo 2^32.
// Catches words that are now and then a constant times an earlier one, whatever the constant. Given
// the earlier words a quotient is uniform, so quotients are as good as words. The first words have
// none before them and are taken as they are.
// Parameters: p[1] form, p[2] distance.

#include <assert.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stats/battery/catalogue.h"

enum { UNIT_LOG2 = 16, BITS = 16, CELLS = 1 << BITS, HIGH_HALF = 1 };

// `words` consecutive words, each giving 16 / words bits from `shift` up, every `stride`-th word.
static const struct pattern {
    unsigned words, shift, stride;
    const char *what;
} pattern[CELLS_PATTERNS] = {
    {1, 0, 1, "the low half of a word"},
    {1, 16, 1, "the high half of a word"},
    {1, 8, 1, "the middle half of a word"},
    {2, 0, 1, "the low bytes of 2 words"},
    {2, 24, 1, "the high bytes of 2 words"},
    {4, 0, 1, "the low 4 bits of 4 words"},
    {4, 28, 1, "the high 4 bits of 4 words"},
    {8, 0, 1, "the low 2 bits of 8 words"},
    {8, 30, 1, "the high 2 bits of 8 words"},
    {16, 0, 1, "the lowest bit of 16 words"},
    {16, 31, 1, "the highest bit of 16 words"},
    {4, 0, 2, "the low 4 bits of 4 words two apart"},
    {4, 28, 2, "the high 4 bits of 4 words two apart"},
    {2, 12, 4, "the middle bytes of 2 words four apart"},
};

// With constants for `words` and `stride` a compiler unrolls the words of a cell.
static inline __attribute__((always_inline)) void count_patterns(const uint32_t *word, size_t unit,
                                                                 unsigned words, unsigned shift,
                                                                 unsigned stride, uint16_t *cell,
                                                                 uint64_t *count)
{
    const unsigned bits = BITS / words, step = words * stride;
    const uint32_t mask = (1u << bits) - 1;
    uint32_t at = 0;
    for (size_t i = 0; i < unit; i += step)
        for (unsigned phase = 0; phase < stride; phase++) {
            at = 0;
            for (unsigned w = 0; w < words; w++)
                at = at << bits | (word[i + phase + w * stride] >> shift & mask);
            cell[at]++;
        }
    // All words of a unit may fall into one cell, which then comes round to zero: the last one goes
    // to the total at once.
    cell[at]--;
    count[at]++;
}

// Halfwords leave room in the cache for the words.
static void count_cells(const struct test *test, const uint32_t *words, const struct counts *to)
{
    const struct pattern *const p = &pattern[test->p[0]];
    const size_t unit = (size_t)1 << test->unit_log2;
    uint16_t *const cell = to->scratch;
    memset(cell, 0, CELLS * sizeof *cell);
    if (p->words == 1)
        count_patterns(words, unit, 1, p->shift, 1, cell, to->count);
    else if (p->stride == 2)
        count_patterns(words, unit, 4, p->shift, 2, cell, to->count);
    else if (p->stride == 4)
        count_patterns(words, unit, 2, p->shift, 4, cell, to->count);
    else if (p->words == 2)
        count_patterns(words, unit, 2, p->shift, 1, cell, to->count);
    else if (p->words == 4)
        count_patterns(words, unit, 4, p->shift, 1, cell, to->count);
    else if (p->words == 8)
        count_patterns(words, unit, 8, p->shift, 1, cell, to->count);
    else
        count_patterns(words, unit, 16, p->shift, 1, cell, to->count);
    for (size_t i = 0; i < CELLS; i++)
        to->count[i] += cell[i];
}

enum { QUOTIENT, PRODUCT };

// 1 / odd: the first guess has five bits right, and each step twice as many.
static uint32_t inverse(uint32_t odd)
{
    uint32_t x = 3 * odd ^ 2;
    for (unsigned right = 5; right < 32; right *= 2)
        x *= 2 - odd * x;
    return x;
}

static void count_quotients(const struct test *test, const uint32_t *words, const struct counts *to)
{
    const size_t unit = (size_t)1 << test->unit_log2, lag = test->p[2];
    uint32_t *const derived = to->scratch;
    uint16_t *const cell = (uint16_t *)(void *)(derived + unit);
    memcpy(derived, words, lag * sizeof *words);
    if (test->p[1] == PRODUCT)
        for (size_t i = lag; i < unit; i++)
            derived[i] = words[i] * (words[i - lag] | 1);
    else
        for (size_t i = lag; i < unit; i++)
            derived[i] = words[i] * inverse(words[i - lag] | 1);
    memset(cell, 0, CELLS * sizeof *cell);
    count_patterns(derived, unit, 1, 16, 1, cell, to->count);
    for (size_t i = 0; i < CELLS; i++)
        to->count[i] += cell[i];
}

static void transform(int64_t *value)
{
    for (size_t half = 1; half < CELLS; half *= 2)
        for (size_t i = 0; i < CELLS; i += 2 * half)
            for (size_t j = i; j < i + half; j++) {
                const int64_t a = value[j], b = value[j + half];
                value[j] = a + b;
                value[j + half] = a - b;
            }
}

static void judge_cells(const struct totals *total, struct judgement *judgement)
{
    const uint64_t n = (total->units << total->test->unit_log2) / pattern[total->test->p[0]].words;
    judgement_add_cells(judgement, 0, total->count, NULL, CELLS, 25);
    int64_t *const spectrum = malloc(CELLS * sizeof *spectrum);
    if (!spectrum) {
        if (total->bag)
            total->bag->failed = true;
        return;
    }
    // Tails are monotone in the count, so of equal binomials only the furthest need a figure.
    uint32_t most = 0, least = 0, furthest = 1;
    for (uint32_t i = 0; i < CELLS; i++) {
        spectrum[i] = (int64_t)total->count[i];
        most = total->count[i] > total->count[most] ? i : most;
        least = total->count[i] < total->count[least] ? i : least;
    }
    const uint32_t only = judgement->only, cell_only = only - 1, parity_only = only - 1 - CELLS;
    transform(spectrum);
    for (uint32_t i = 1; i < CELLS; i++)
        furthest = llabs(spectrum[i]) > llabs(spectrum[furthest]) ? i : furthest;
    if (only != UINT32_MAX && only >= 1 && only <= CELLS)
        most = least = cell_only;
    if (only != UINT32_MAX && only > CELLS + 1)
        furthest = parity_only;
    judgement_enlarge(judgement, 2 * (uint64_t)CELLS - 1 - 3);
    judgement_add_binomial(judgement, 1 + most, total->count[most], n, 1.0 / CELLS);
    if (least != most)
        judgement_add_binomial(judgement, 1 + least, total->count[least], n, 1.0 / CELLS);
    const uint64_t even = (uint64_t)((int64_t)n + spectrum[furthest]) / 2;
    judgement_add_fair(judgement, 1 + CELLS + furthest, even, n);
    free(spectrum);
}

static void describe_cells(const struct test *test, uint32_t index, char *text, size_t size)
{
    const char *const what = pattern[test->p[0]].what;
    if (index == 0)
        snprintf(text, size, "chi-square of %s", what);
    else if (index <= CELLS)
        snprintf(text, size, "occurrences of 0x%04x in %s", (unsigned)index - 1, what);
    else
        snprintf(text, size, "even parities under mask 0x%04x in %s", (unsigned)index - 1 - CELLS,
                 what);
}

static void describe_quotients(const struct test *test, uint32_t index, char *text, size_t size)
{
    char cells[96];
    describe_cells(test, index, cells, sizeof cells);
    snprintf(text, size, "%s that is %s the one %u before, made odd", cells,
             test->p[1] == PRODUCT ? "multiplied with" : "divided by", test->p[2]);
}

struct test test_cells(unsigned which)
{
    assert(which < CELLS_PATTERNS);
    return (struct test){TEST_FUNCTIONS(cells),
                         .about = "groups of bits are not independent",
                         .unit_log2 = UNIT_LOG2,
                         .counts = CELLS,
                         .scratch = CELLS * sizeof(uint16_t),
                         .p = {which}};
}

struct test test_quotients(bool product, unsigned lag)
{
    assert(lag >= 1 && lag < 1 << UNIT_LOG2 && pattern[HIGH_HALF].shift == 16);
    return (struct test){.name = "quotients",
                         .about = "words are multiples of words before them",
                         .unit_log2 = UNIT_LOG2,
                         .counts = CELLS,
                         .count = count_quotients,
                         .judge = judge_cells,
                         .describe = describe_quotients,
                         .scratch = (sizeof(uint32_t) << UNIT_LOG2) + CELLS * sizeof(uint16_t),
                         .p = {HIGH_HALF, product ? PRODUCT : QUOTIENT, lag}};
}
