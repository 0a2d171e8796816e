// SPDX-License-Identifier: Apache-2.0
// The ends of words: how many zeros, or ones, a word begins or ends with. Values near the ends of the range that never come, or
// come too often, show here: zero left out, one word in a million lost, a float rounded up.
// Null: the length of the run at either end is geometric, P(at least k) = 2^-k, exactly. Source: Knuth, volume 2, 3.3.2 (runs of
// bits); Feller, volume 1, XIII.

#include <stdio.h>
#include <string.h>

#include "stats/null.h"
#include "stats/real.h"
#include "stats/tests.h"

enum { UNIT_LOG2 = 16, LENGTHS = 33, ENDS = 4 };

static const char *const end_name[ENDS] = {"zeros at the top", "ones at the top", "zeros at the bottom", "ones at the bottom"};

static unsigned leading(uint32_t x)
{
    return x ? (unsigned)__builtin_clz(x) : 32;
}

static unsigned trailing(uint32_t x)
{
    return x ? (unsigned)__builtin_ctz(x) : 32;
}

static void count(const struct test *test, const uint32_t *words, const struct counts *to)
{
    uint32_t seen[ENDS][LENGTHS];
    memset(seen, 0, sizeof seen);
    for (size_t i = 0; i < (size_t)1 << test->unit_log2; i++) {
        const uint32_t w = words[i];
        seen[0][leading(w)]++;
        seen[1][leading(~w)]++;
        seen[2][trailing(w)]++;
        seen[3][trailing(~w)]++;
    }
    for (unsigned e = 0; e < ENDS; e++)
        for (unsigned k = 0; k < LENGTHS; k++)
            to->count[e * LENGTHS + k] += seen[e][k];
}

// For each end and k: at least k, against Binomial(n, 2^-k), both ways.
static void judge(const struct test *test, const uint64_t *count, struct bag *bag, uint64_t units, struct judgement *judgement)
{
    (void)bag;
    const uint64_t n = units << test->unit_log2;
    for (unsigned e = 0; e < ENDS; e++) {
        uint64_t longer = 0;
        double p = 0x1p-33;
        for (unsigned k = LENGTHS; k-- > 1;) {
            longer += count[e * LENGTHS + k];
            p *= 2;
            judgement_add_binomial(judgement, e * LENGTHS + k, longer, n, p);
        }
    }
}

static void describe(const struct test *test, uint32_t index, char *text, size_t size)
{
    (void)test;
    snprintf(text, size, "words with %u or more %s", (unsigned)index % LENGTHS, end_name[index / LENGTHS]);
}

struct test test_edges(void)
{
    return (struct test){.name = "edges",
                         .about = "the smallest or largest values are missing or too many",
                         .unit_log2 = UNIT_LOG2,
                         .counts = ENDS * LENGTHS,
                         .count = count,
                         .judge = judge,
                         .describe = describe};
}
