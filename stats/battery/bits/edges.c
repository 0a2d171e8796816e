// SPDX-License-Identifier: Apache-2.0
// Runs of equal bits. The ends of words: how many zeros, or ones, a word begins or ends with.
// Values near the ends of the range that never come, or come too often, show here: zero left out,
// one word in a million lost, a float rounded up.
// Null: the length of the run at either end is geometric, P(at least k) = 2^-k, exactly.
// Source: Knuth, volume 2, 3.3.2 (runs of bits); Feller, volume 1, XIII.
// Parameter: p[0] shortest run that is counted; from KERNEL_ENDS on few words need a look.
//
// bit_runs: the longest runs of ones, and of zeros, among the bits of 64 words, the lowest bit of a
// word first. Catches line codes and whitening that break up long runs, and converters that stick
// for some bits. Only runs of 16 bits and more are counted: what is shorter shows in `cells`.
// Null: for each length the blocks that have so long a run are binomial, exactly; the chance
// follows the recurrence of success runs.
// Source: Feller, volume 1, XIII.7.

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "stats/kernel/kernel.h"
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

// ---- longest runs -----------------------------------------------------------

enum { BLOCK = 64, BLOCK_BITS = 32 * BLOCK, SHORTEST = 16, LONGEST = 64 };
enum { RUN_LENGTHS = LONGEST + 1 };

// Whether SHORTEST equal bits follow each other somewhere in the block; now and then another one.
static bool has_run(const uint32_t *word)
{
    uint64_t found = 0;
    for (unsigned i = 0; i + 1 < BLOCK; i++) {
        const uint64_t x = word[i] | (uint64_t)word[i + 1] << 32;
        uint64_t same = ~(x ^ x >> 1);
        same &= same >> 1;
        same &= same >> 2;
        same &= same >> 4;
        found |= same & same >> 7;
    }
    return found != 0;
}

static unsigned longest_in_word(uint32_t w)
{
    unsigned length = 0;
    for (; w; w &= w >> 1)
        length++;
    return length;
}

// Of the ones, once the words are turned over where `flip` is all ones.
static unsigned longest_run(const uint32_t *word, uint32_t flip)
{
    unsigned longest = 0, run = 0;
    for (unsigned i = 0; i < BLOCK; i++) {
        const uint32_t w = word[i] ^ flip;
        const unsigned inside = __builtin_popcount(w) < SHORTEST ? 0 : longest_in_word(w);
        run += w == UINT32_MAX ? 32 : (unsigned)__builtin_ctz(~w);
        longest = run > longest ? run : longest;
        longest = inside > longest ? inside : longest;
        run = w == UINT32_MAX ? run : (unsigned)__builtin_clz(~w);
    }
    return longest < LONGEST ? longest : LONGEST;
}

// Lengths below SHORTEST are not always counted, and not looked at.
static void count_bit_runs(const struct test *test, const uint32_t *words, const struct counts *to)
{
    for (size_t i = 0; i < (size_t)1 << test->unit_log2; i += BLOCK)
        if (has_run(words + i)) {
            to->count[longest_run(words + i, 0)]++;
            to->count[RUN_LENGTHS + longest_run(words + i, UINT32_MAX)]++;
        }
}

// The chance of a run of `length` ones among BLOCK_BITS fair bits: one that ends with the bit i has
// a zero before it, and none before that.
static double chance_of_run(unsigned length)
{
    double by[BLOCK_BITS + 1] = {0}, power = 1;
    for (unsigned i = 0; i < length; i++)
        power /= 2;
    by[length] = power;
    for (unsigned i = length + 1; i <= BLOCK_BITS; i++)
        by[i] = by[i - 1] + power / 2 * (1 - by[i - length - 1]);
    return by[BLOCK_BITS];
}

// Hypothesis zeros * RUN_LENGTHS + k: blocks with k or more in a row.
static void judge_bit_runs(const struct totals *total, struct judgement *judgement)
{
    const uint64_t blocks = (total->units << total->test->unit_log2) / BLOCK;
    uint64_t longer[2] = {0};
    for (unsigned k = LONGEST; k >= SHORTEST; k--) {
        const double chance = chance_of_run(k);
        for (unsigned zeros = 0; zeros < 2; zeros++) {
            const unsigned at = zeros * RUN_LENGTHS + k;
            longer[zeros] += total->count[at];
            judgement_add_binomial(judgement, at, longer[zeros], blocks, chance);
        }
    }
}

static void describe_bit_runs(const struct test *test, uint32_t index, char *text, size_t size)
{
    (void)test;
    snprintf(text, size, "blocks of %d words with %u or more %s in a row", BLOCK,
             (unsigned)index % RUN_LENGTHS, index < RUN_LENGTHS ? "ones" : "zeros");
}

struct test test_bit_runs(void)
{
    return (struct test){TEST_FUNCTIONS(bit_runs),
                         .about = "a bit stays the same for too long or never long enough",
                         .unit_log2 = UNIT_LOG2, .counts = 2 * RUN_LENGTHS};
}
