// SPDX-License-Identifier: Apache-2.0
// Each bit of a word, by each byte of the word before: a branch that is taken on one value of a
// byte leaves the frequency of every bit alone, but not that of the words that follow.
// Null: words are taken in pairs. Given the first of all pairs, the bits of the second ones are
// fair and independent: binomial, exactly.
// Source: Good, doi:10.1017/S030500410002836X (frequencies of one value after another).

#include <stdio.h>
#include <string.h>

#include "stats/battery/catalogue.h"

enum { UNIT_LOG2 = 16, PAIRS = 1 << (UNIT_LOG2 - 1), BYTES = 4, VALUES = 256, BITS = 32 };

// Ones at each bit behind each value of each byte, and how often that value came.
struct table {
    uint16_t ones[BYTES][VALUES][BITS], came[BYTES][VALUES];
};

enum { ONES = BYTES * VALUES * BITS, COUNTS = ONES + BYTES * VALUES };

static void count_bits_after_bytes(const struct test *test, const uint32_t *words,
                                   const struct counts *to)
{
    (void)test;
    struct table *const table = to->scratch;
    memset(table, 0, sizeof *table);
    for (size_t pair = 0; pair < PAIRS; pair++) {
        const uint32_t first = words[2 * pair], second = words[2 * pair + 1];
        uint16_t bit[BITS];
        for (unsigned b = 0; b < BITS; b++)
            bit[b] = second >> b & 1;
        for (unsigned byte = 0; byte < BYTES; byte++) {
            const unsigned value = first >> 8 * byte & 0xff;
            uint16_t *const ones = table->ones[byte][value];
            table->came[byte][value]++;
            for (unsigned b = 0; b < BITS; b++)
                ones[b] = (uint16_t)(ones[b] + bit[b]);
        }
    }
    const uint16_t *const counted = &table->ones[0][0][0], *const came = &table->came[0][0];
    for (uint32_t i = 0; i < ONES; i++)
        to->count[i] += counted[i];
    for (uint32_t i = 0; i < BYTES * VALUES; i++)
        to->count[ONES + i] += came[i];
}

static void judge_bits_after_bytes(const struct totals *total, struct judgement *judgement)
{
    for (uint32_t i = 0; i < ONES; i++) {
        const uint64_t came = total->count[ONES + i / BITS];
        if (came)
            judgement_add_fair(judgement, i, total->count[i], came);
    }
}

static void describe_bits_after_bytes(const struct test *test, uint32_t index, char *text,
                                      size_t size)
{
    (void)test;
    snprintf(text, size, "fraction of ones at bit %u after a word whose byte %u is 0x%02x",
             (unsigned)index % BITS, (unsigned)index / BITS / VALUES,
             (unsigned)index / BITS % VALUES);
}

struct test test_bits_after_bytes(void)
{
    return (struct test){TEST_FUNCTIONS(bits_after_bytes),
                         .about = "bits depend on a byte of the word before",
                         .unit_log2 = UNIT_LOG2, .counts = COUNTS, .scratch = sizeof(struct table)};
}
