// SPDX-License-Identifier: Apache-2.0
// Values of 9 to 15 bits that follow each other without regard to words: bytes of seven bits,
// 15-bit calls of an old library packed one behind the other, pairs and triples of such small
// values (6 x 2, 5 x 3, 3 x 4 bits), digits. Null: fields do not overlap: multinomial with equal
// cells (chi-square); the rarest and the commonest value are binomial, exactly. Wide fields, of 20
// to 31 bits, have too many values for a table: there it is counted how often a value comes again.
// Balls in cells; the number of collisions is held against Poisson's law of the exact mean, which
// bounds it (proof: null_collision_mean in null.h): 24-bit fractions that are scaled, thirds of a
// range, cards that are dealt. Source: frequency and serial tests, Good 1953,
// doi:10.1017/S030500410002836X; Knuth, volume 2, 3.3.2 A, B. Parameters: p[0] bits of a field,
// p[1] order of a word's bits: 0 the lowest first, 1 the highest.

#include <assert.h>
#include <stdio.h>

#include "stats/law/null.h"
#include "stats/kernel/sort.h"
#include "stats/battery/catalogue.h"

enum { UNIT_LOG2 = 16, WIDE_FIELDS_MOST = 1 << 15 };

static uint64_t fields_in_a_unit(const struct test *test)
{
    return (((uint64_t)32 << test->unit_log2) - test->p[0] + 1) / test->p[0];
}

// Bits at the head of a unit that belong to a field which began before it, as the source begins
// with a field. So a repeat, whose blocks lie anywhere, and a night see the fields where they are.
// A unit is a block.
static unsigned skipped(const struct test *test, uint64_t block)
{
    const unsigned bits = test->p[0];
    return (unsigned)((bits - (block % bits << (test->unit_log2 + 5)) % bits) % bits);
}

static void count_fields(const struct test *test, const uint32_t *words, const struct counts *to)
{
    const unsigned bits = test->p[0], skip = skipped(test, to->block);
    const uint64_t mask = (UINT64_C(1) << bits) - 1;
    // Order 0: the next bits lowest. Order 1: the latest bits lowest.
    uint64_t pending = test->p[1] ? words[0] : words[0] >> skip, left = fields_in_a_unit(test);
    unsigned held = 32 - skip;
    for (size_t i = 1;; i++, held += 32) {
        if (test->p[1])
            for (; held >= bits && left; held -= bits, left--)
                to->count[pending >> (held - bits) & mask]++;
        else
            for (; held >= bits && left; held -= bits, pending >>= bits, left--)
                to->count[pending & mask]++;
        if (!left)
            return;
        pending = test->p[1] ? pending << 32 | words[i] : pending | (uint64_t)words[i] << held;
    }
}

static void judge_fields(const struct totals *total, struct judgement *judgement)
{
    const uint64_t n = total->units * fields_in_a_unit(total->test);
    const double chance = 1.0 / total->test->counts;
    judgement_add_cells(judgement, 0, total->count, NULL, total->test->counts, 25);
    // Tails are monotone in the count, so only the furthest cells need a figure.
    uint32_t most = 0, least = 0;
    for (uint32_t i = 0; i < total->test->counts; i++) {
        most = total->count[i] > total->count[most] ? i : most;
        least = total->count[i] < total->count[least] ? i : least;
    }
    if (judgement->only != UINT32_MAX && judgement->only)
        most = least = judgement->only - 1;
    judgement_enlarge(judgement, total->test->counts - 2);
    judgement_add_binomial(judgement, 1 + most, total->count[most], n, chance);
    if (least != most)
        judgement_add_binomial(judgement, 1 + least, total->count[least], n, chance);
}

static void describe_fields(const struct test *test, uint32_t index, char *text, size_t size)
{
    const char *const order = test->p[1] ? "highest" : "lowest";
    if (index)
        snprintf(
            text, size,
            "occurrences of 0x%04x in consecutive fields of %u bits, the %s bit of a word first",
            (unsigned)index - 1, test->p[0], order);
    else
        snprintf(text, size,
                 "chi-square of consecutive fields of %u bits, the %s bit of a word first",
                 test->p[0], order);
}

struct test test_fields(unsigned bits, unsigned order)
{
    assert(bits >= 9 && bits <= 15 && order < 2);
    return (struct test){.name = "fields",
                         .about = "small values that follow each other are not evenly spread",
                         .unit_log2 = UNIT_LOG2,
                         .counts = 1u << bits,
                         .count = count_fields,
                         .judge = judge_fields,
                         .describe = describe_fields,
                         .p = {bits, order}};
}

// ---- wide fields ------------------------------------------------------------

// At most one field for 256 values.
static size_t wide_fields(unsigned bits)
{
    return bits < 23 ? (size_t)1 << (bits - 8) : WIDE_FIELDS_MOST;
}

static void count_wide(const struct test *test, const uint32_t *words, const struct counts *to)
{
    const unsigned bits = test->p[0];
    const size_t fields = wide_fields(bits);
    uint32_t *const value = to->scratch;
    const unsigned skip = skipped(test, to->block);
    uint64_t pending = words[0] >> skip;
    unsigned held = 32 - skip;
    for (size_t i = 1, found = 0; found < fields; i++, held += 32) {
        for (; held >= bits && found < fields; held -= bits, pending >>= bits)
            value[found++] = (uint32_t)(pending & ((UINT64_C(1) << bits) - 1));
        pending |= (uint64_t)words[i] << held;
    }
    sort_u32(value, value + fields, fields);
    to->count[0] += sorted_repeats_u32(value, fields);
}

static void judge_wide(const struct totals *total, struct judgement *judgement)
{
    const double values = (double)(UINT64_C(1) << total->test->p[0]);
    judgement_add_poisson(judgement, 0, total->count[0],
                          (double)total->units *
                              null_collision_mean((double)wide_fields(total->test->p[0]), values),
                          1);
}

static void describe_wide(const struct test *test, uint32_t index, char *text, size_t size)
{
    (void)index;
    snprintf(text, size,
             "values that repeat among %zu consecutive fields of %u bits, the lowest bit of a word "
             "first",
             wide_fields(test->p[0]), test->p[0]);
}

struct test test_wide_fields(unsigned bits)
{
    assert(bits >= 16 && bits <= 31);
    return (struct test){.name = "fields_wide",
                         .about = "values that follow each other repeat too often or too seldom",
                         .unit_log2 = UNIT_LOG2,
                         .counts = 1,
                         .scratch = 2 * wide_fields(bits) * sizeof(uint32_t),
                         .count = count_wide,
                         .judge = judge_wide,
                         .describe = describe_wide,
                         .p = {bits}};
}
