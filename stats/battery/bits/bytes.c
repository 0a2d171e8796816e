// SPDX-License-Identifier: Apache-2.0
// How often each byte value comes, at each of the four places in a word and over all.
// Null: multinomial with equal cells (chi-square), and each cell alone is Binomial(n, 1/256),
// exactly.
// Source: Pearson 1900, doi:10.1080/14786440009463897; Knuth, volume 2, 3.3.1.

#include <stdio.h>
#include <string.h>

#include "stats/battery/catalogue.h"

enum { UNIT_LOG2 = 16, PLACES = 4, VALUES = 256, TABLES = PLACES + 1 };

static void count_bytes(const struct test *test, const uint32_t *words, const struct counts *to)
{
    uint32_t seen[2][PLACES][VALUES];
    memset(seen, 0, sizeof seen);
    for (size_t i = 0; i < (size_t)1 << test->unit_log2; i += 2)
        for (unsigned p = 0; p < PLACES; p++) {
            seen[0][p][words[i] >> 8 * p & 255]++;
            seen[1][p][words[i + 1] >> 8 * p & 255]++;
        }
    for (unsigned p = 0; p < PLACES; p++)
        for (unsigned v = 0; v < VALUES; v++)
            to->count[p * VALUES + v] += seen[0][p][v] + seen[1][p][v];
}

static void judge_bytes(const struct totals *total, struct judgement *judgement)
{
    for (unsigned t = 0; t < TABLES; t++) {
        uint64_t table[VALUES];
        for (unsigned v = 0; v < VALUES; v++)
            table[v] = t < PLACES ? total->count[t * VALUES + v]
                                  : total->count[v] + total->count[VALUES + v] +
                                        total->count[2 * VALUES + v] + total->count[3 * VALUES + v];
        const uint64_t n = (total->units << total->test->unit_log2) * (t < PLACES ? 1 : PLACES);
        judgement_add_cells(judgement, t * (VALUES + 1), table, NULL, VALUES, 25);
        for (unsigned v = 0; v < VALUES; v++)
            judgement_add_binomial(judgement, t * (VALUES + 1) + 1 + v, table[v], n, 1.0 / VALUES);
    }
}

static void describe_bytes(const struct test *test, uint32_t index, char *text, size_t size)
{
    (void)test;
    const unsigned t = index / (VALUES + 1), v = index % (VALUES + 1);
    char place[32] = "all bytes";
    if (t < PLACES)
        snprintf(place, sizeof place, "byte %u of each word", t);
    if (v)
        snprintf(text, size, "occurrences of 0x%02x, %s", v - 1, place);
    else
        snprintf(text, size, "chi-square of byte values, %s", place);
}

struct test test_bytes(void)
{
    return (struct test){TEST_FUNCTIONS(bytes),
                         .about = "some byte values come more often than others",
                         .unit_log2 = UNIT_LOG2, .counts = PLACES * VALUES};
}
