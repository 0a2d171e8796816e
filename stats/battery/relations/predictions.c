// SPDX-License-Identifier: Apache-2.0
// Bytes that are a function of another byte, whichever function: a permutation, a substitution box,
// a table that was drawn. Of every two bytes, of the same word or up to 64 words apart, the first
// half of a unit says what came most often with each value of the one; the second half counts how
// often the other is what was predicted.
// Null: in the second half a byte is uniform whatever came before it, and whatever was predicted of
// it: Binomial(n, 2^-8), exactly.
// Source: the predictor of NIST SP 800-90B, 6.3.7, doi:10.6028/NIST.SP.800-90B, whose tables are
// those of Good's serial test, doi:10.1017/S030500410002836X.
// Parameters: p[0] first distance in words, p[1] last.

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "stats/battery/catalogue.h"

enum { UNIT_LOG2 = 20, HALF = 1 << (UNIT_LOG2 - 1), VALUES = 256, BYTES = 4, PAIRS = 16 };

struct table {
    uint16_t together[VALUES][VALUES]; // [one][other]; what comes round to 0 predicts no worse
    uint8_t most[VALUES];
};

static unsigned byte_of(uint32_t word, unsigned byte)
{
    return word >> 8 * byte & (VALUES - 1);
}

static void learn(struct table *table)
{
    for (unsigned a = 0; a < VALUES; a++) {
        unsigned most = 0;
        for (unsigned b = 1; b < VALUES; b++)
            most = table->together[a][b] > table->together[a][most] ? b : most;
        table->most[a] = (uint8_t)most;
    }
}

// Byte `from` of the word `lag` before says what byte `of` is.
static uint64_t predict(struct table *table, const uint32_t *words, unsigned lag, unsigned from,
                        unsigned of)
{
    uint64_t right = 0;
    memset(table, 0, sizeof *table);
    for (size_t i = lag; i < HALF; i++)
        table->together[byte_of(words[i - lag], from)][byte_of(words[i], of)]++;
    learn(table);
    for (size_t i = HALF; i < 2 * HALF; i++)
        right += byte_of(words[i], of) == table->most[byte_of(words[i - lag], from)];
    return right;
}

// A byte says nothing new of itself.
static bool is_asked(unsigned lag, unsigned pair)
{
    return lag > 0 || pair / BYTES != pair % BYTES;
}

static void count_predictions(const struct test *test, const uint32_t *words,
                              const struct counts *to)
{
    for (unsigned lag = test->p[0]; lag <= test->p[1]; lag++)
        for (unsigned pair = 0; pair < PAIRS; pair++)
            if (is_asked(lag, pair))
                to->count[(lag - test->p[0]) * PAIRS + pair] +=
                    predict(to->scratch, words, lag, pair / BYTES, pair % BYTES);
}

static void judge_predictions(const struct totals *total, struct judgement *judgement)
{
    const struct test *const test = total->test;
    for (unsigned lag = test->p[0]; lag <= test->p[1]; lag++)
        for (unsigned pair = 0; pair < PAIRS; pair++)
            if (is_asked(lag, pair))
                judgement_add_binomial(judgement, lag * PAIRS + pair,
                                       total->count[(lag - test->p[0]) * PAIRS + pair],
                                       total->units * HALF, 1.0 / VALUES);
}

static void describe_predictions(const struct test *test, uint32_t index, char *text, size_t size)
{
    (void)test;
    const unsigned lag = index / PAIRS, from = index % PAIRS / BYTES, of = index % BYTES;
    snprintf(text, size, "byte %u is what came most often with byte %u of the word %u before", of,
             from, lag);
}

struct test test_predictions(unsigned first, unsigned last)
{
    assert(first <= last && last <= 64);
    return (struct test){
        TEST_FUNCTIONS(predictions),     .about = "a byte is a function of another",
        .unit_log2 = UNIT_LOG2,          .counts = (last - first + 1) * PAIRS,
        .scratch = sizeof(struct table), .p = {first, last}};
}
