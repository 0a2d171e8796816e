// SPDX-License-Identifier: Apache-2.0
// All parities of three bits, or of four, of a word of 32 bits or of 64: a bit that is the
// exclusive or of others, now and then. Where triples.c asks the same of three bits of the stream,
// wherever they lie, a relation of three places of a word is one of 32 that are added up. Null: the
// parity of some bits of a word is fair, and words are independent: Binomial(n, 1/2), exactly.
// Source: correlation immunity, Siegenthaler, doi:10.1109/TC.1985.1676518.
// Parameters: p[0] bits of a word, 32 or 64 (two words, the low one first); p[1] bits of a parity,
// 3 or 4.

#include <assert.h>
#include <stdio.h>

#include "stats/kernel/kernel.h"
#include "stats/battery/catalogue.h"

enum { UNIT_LOG2 = 16, UNIT = 1 << UNIT_LOG2, BITS_MAX = 64 };

struct planes {
    uint64_t plane[BITS_MAX][UNIT / 64]; // of each bit
    uint64_t pair[UNIT / 64], triple[UNIT / 64];
};

// Blocks of bits change places, the largest first (Warren, "Hacker's Delight", 7-3).
static void transpose(uint32_t row[32])
{
    for (unsigned j = 16, m = 0xffff; j; j /= 2, m ^= m << j)
        for (unsigned k = 0; k < 32; k = (k + j + 1) & ~j) {
            const uint32_t t = (row[k] >> j ^ row[k + j]) & m;
            row[k] ^= t << j;
            row[k + j] ^= t;
        }
}

// Bit b of every word of the unit stands in plane b, which is of no other order than that of its
// words.
static void take_planes(const uint32_t *words, unsigned bits, struct planes *planes)
{
    const size_t stride = bits / 32, of = UNIT / stride;
    for (size_t i = 0; i < of; i += 64)
        for (size_t part = 0; part < stride; part++) {
            uint32_t row[2][32];
            for (size_t j = 0; j < 64; j++)
                row[j / 32][j % 32] = words[(i + j) * stride + part];
            transpose(row[0]);
            transpose(row[1]);
            for (size_t b = 0; b < 32; b++)
                planes->plane[32 * part + b][i / 64] = row[0][b] | (uint64_t)row[1][b] << 32;
        }
}

static void take_sum(const uint64_t *a, const uint64_t *b, size_t length, uint64_t *sum)
{
    for (size_t i = 0; i < length; i++)
        sum[i] = a[i] ^ b[i];
}

// The parities of `sum` with each plane from `first` on.
static uint64_t *add_parities(const struct planes *planes, const uint64_t *sum, size_t length,
                              unsigned first, unsigned bits, uint64_t *count)
{
    for (unsigned b = first; b < bits; b++)
        *count++ += kernel_chosen()->differences(sum, planes->plane[b], length);
    return count;
}

static void count_parities(const struct test *test, const uint32_t *words, const struct counts *to)
{
    struct planes *const planes = to->scratch;
    const unsigned bits = test->p[0];
    const size_t length = UNIT / 2 / bits;
    uint64_t *count = to->count;
    take_planes(words, bits, planes);
    for (unsigned a = 0; a < bits; a++)
        for (unsigned b = a + 1; b < bits; b++) {
            take_sum(planes->plane[a], planes->plane[b], length, planes->pair);
            if (test->p[1] == 3)
                count = add_parities(planes, planes->pair, length, b + 1, bits, count);
            for (unsigned c = b + 1; c < bits && test->p[1] == 4; c++) {
                take_sum(planes->pair, planes->plane[c], length, planes->triple);
                count = add_parities(planes, planes->triple, length, c + 1, bits, count);
            }
        }
}

static void judge_parities(const struct totals *total, struct judgement *judgement)
{
    const uint32_t bits = total->test->p[0];
    const uint64_t n = total->units * (UNIT * UINT64_C(32) / bits), *count = total->count;
    for (uint32_t a = 0; a < bits; a++)
        for (uint32_t b = a + 1; b < bits; b++)
            for (uint32_t c = b + 1; c < bits; c++) {
                const uint32_t three = (a * BITS_MAX + b) * BITS_MAX + c;
                if (total->test->p[1] == 3)
                    judgement_add_fair(judgement, three, *count++, n);
                for (uint32_t d = c + 1; d < bits && total->test->p[1] == 4; d++)
                    judgement_add_fair(judgement, three * BITS_MAX + d, *count++, n);
            }
}

static void describe_parities(const struct test *test, uint32_t index, char *text, size_t size)
{
    const unsigned four = test->p[1] == 4, first = four ? index / BITS_MAX : index;
    char last[24] = "";
    if (four)
        snprintf(last, sizeof last, " and %u", (unsigned)index % BITS_MAX);
    snprintf(text, size, "fraction of odd parities of bits %u, %u%s %u%s of words of %u bits",
             first / BITS_MAX / BITS_MAX, first / BITS_MAX % BITS_MAX, four ? "," : " and",
             first % BITS_MAX, last, test->p[0]);
}

struct test test_parities(unsigned bits, unsigned order)
{
    assert((bits == 32 || bits == 64) && (order == 3 || order == 4));
    const uint32_t threes = bits * (bits - 1) * (bits - 2) / 6;
    return (struct test){.name = order == 3 ? "parities" : "parities_of_4",
                         .count = count_parities,
                         .judge = judge_parities,
                         .describe = describe_parities,
                         .about = "bits of a word are not independent",
                         .unit_log2 = UNIT_LOG2,
                         .counts = order == 3 ? threes : threes * (bits - 3) / 4,
                         .scratch = sizeof(struct planes),
                         .p = {bits, order}};
}
