// SPDX-License-Identifier: Apache-2.0
// The ends of words: how many zeros, or ones, a word begins or ends with. Values near the ends of
// the range that never come, or come too often, show here: zero left out, one word in a million
// lost, a float rounded up. Null: the length of the run at either end is geometric, P(at least k) =
// 2^-k, exactly. Source: Knuth, volume 2, 3.3.2 (runs of bits); Feller, volume 1, XIII. Parameter:
// p[0] shortest run that is counted; from KERNEL_ENDS on few words need a look.

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "stats/kernel/kernel.h"
#include "stats/law/null.h"
#include "stats/law/real.h"
#include "stats/battery/catalogue.h"

enum { UNIT_LOG2 = 16, LENGTHS = 33, ENDS = 4, VALUES = 256 };

static const char *const end_name[ENDS] = {"zeros at the top", "ones at the top",
                                           "zeros at the bottom", "ones at the bottom"};

static unsigned leading(uint32_t x)
{
    return x ? (unsigned)__builtin_clz(x) : 32;
}

static unsigned trailing(uint32_t x)
{
    return x ? (unsigned)__builtin_ctz(x) : 32;
}

static void count_long(const struct test *test, const uint32_t *words, const struct counts *to)
{
    uint32_t *const at = to->scratch;
    const size_t found = kernel_chosen()->ends(words, (size_t)1 << test->unit_log2, at);
    for (size_t i = 0; i < found; i++) {
        const uint32_t w = words[at[i]];
        const unsigned length[ENDS] = {leading(w), leading(~w), trailing(w), trailing(~w)};
        for (unsigned e = 0; e < ENDS; e++)
            to->count[e * LENGTHS + length[e]] += length[e] >= test->p[0];
    }
}

static void count_edges(const struct test *test, const uint32_t *words, const struct counts *to)
{
    uint32_t seen[ENDS][LENGTHS], top[2][VALUES], bottom[2][VALUES];
    memset(seen, 0, sizeof seen);
    memset(top, 0, sizeof top);
    memset(bottom, 0, sizeof bottom);
    // The byte at an end tells the length unless it is all zeros or all ones; two tables, as equal
    // bytes often follow each other.
    for (size_t i = 0; i < (size_t)1 << test->unit_log2; i++) {
        const uint32_t w = words[i], first = w >> 24, last = w & 255;
        top[i & 1][first]++;
        bottom[i & 1][last]++;
        if (((first + 1) & 255) < 2) {
            seen[0][leading(w)] += !first;
            seen[1][leading(~w)] += first != 0;
        }
        if (((last + 1) & 255) < 2) {
            seen[2][trailing(w)] += !last;
            seen[3][trailing(~w)] += last != 0;
        }
    }
    for (uint32_t v = 0; v < VALUES; v++) {
        const uint32_t at_top = top[0][v] + top[1][v], at_bottom = bottom[0][v] + bottom[1][v],
                       ones = v ^ 255;
        seen[0][v ? leading(v << 24) : 0] += v ? at_top : 0;
        seen[1][ones ? leading(ones << 24) : 0] += ones ? at_top : 0;
        seen[2][v ? trailing(v) : 0] += v ? at_bottom : 0;
        seen[3][ones ? trailing(ones) : 0] += ones ? at_bottom : 0;
    }
    for (unsigned e = 0; e < ENDS; e++)
        for (unsigned k = 0; k < LENGTHS; k++)
            to->count[e * LENGTHS + k] += seen[e][k];
}

// For each end and k: at least k, against Binomial(n, 2^-k), both ways.
static void judge_edges(const struct totals *total, struct judgement *judgement)
{
    const uint64_t n = total->units << total->test->unit_log2;
    for (unsigned e = 0; e < ENDS; e++) {
        uint64_t longer = 0;
        double p = 0x1p-33;
        for (unsigned k = LENGTHS; k-- > 1 && k >= total->test->p[0];) {
            longer += total->count[e * LENGTHS + k];
            p *= 2;
            judgement_add_binomial(judgement, e * LENGTHS + k, longer, n, p);
        }
    }
}

static void describe_edges(const struct test *test, uint32_t index, char *text, size_t size)
{
    (void)test;
    snprintf(text, size, "words with %u or more %s", (unsigned)index % LENGTHS,
             end_name[index / LENGTHS]);
}

struct test test_edges(bool long_ones)
{
    return (struct test){.name = "edges",
                         .about = "the smallest or largest values are missing or too many",
                         .unit_log2 = UNIT_LOG2,
                         .counts = ENDS * LENGTHS,
                         .count = long_ones ? count_long : count_edges,
                         .judge = judge_edges,
                         .scratch = long_ones ? sizeof(uint32_t) << UNIT_LOG2 : 0,
                         .describe = describe_edges,
                         .p = {long_ones ? KERNEL_ENDS : 0}};
}
