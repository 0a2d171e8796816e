// SPDX-License-Identifier: Apache-2.0
// Values that follow each other without regard to words.
// - fields, of 9 to 15 bits: bytes of seven bits, 15-bit calls of an old library packed one behind
//   the other, digits, pairs and triples of small values (6 x 2, 5 x 3, 3 x 4 bits). Null: fields
//   do not overlap: multinomial with equal cells (chi-square); the rarest and the commonest value
//   are binomial, exactly.
// - fields_wide, of 20 to 31 bits: 24-bit fractions that are scaled, thirds of a range, cards that
//   are dealt. They have too many values for a table, so repeats are counted: balls in cells. Null:
//   collisions are held against Poisson's law of the exact mean, which bounds theirs (proof:
//   null_collision_mean in null.h). fields_long, of 32 to 63 bits, does the same in larger units:
//   counters that are enciphered, of which none comes twice.
// - field_ends: how many zeros or ones a fraction of 23 or 24 bits, or a value of 31, begins or
//   ends with, as bits/edges.c asks of words. Null: P(a run of at least k) = 2^-k, exactly.
// Source: frequency and serial tests, Good 1953, doi:10.1017/S030500410002836X; Knuth, volume 2,
// 3.3.2 A, B.
// Parameters: p[0] bits of a field, p[1] order of a word's bits: 0 the lowest first, 1 the highest.

#include <assert.h>
#include <stdbool.h>
#include <stdio.h>

#include "stats/law/null.h"
#include "stats/kernel/repeats.h"
#include "stats/kernel/sort.h"
#include "stats/battery/catalogue.h"

enum { UNIT_LOG2 = 16, LONG_UNIT_LOG2 = 20, WIDE_FIELDS_MOST = 1 << 15 };

static uint64_t fields_in_a_unit(const struct test *test)
{
    return (((uint64_t)32 << test->unit_log2) - test->p[0] + 1) / test->p[0];
}

// Bits at the head of a unit that belong to a field which began before it, as the source begins
// with a field. So a repeat, whose blocks lie anywhere, and a night see the fields where they are.
static unsigned skipped(const struct test *test, uint64_t block)
{
    const unsigned bits = test->p[0];
    return (unsigned)((bits - (block % bits << (UNIT_LOG2 + 5)) % bits) % bits);
}

// The first `fields` fields that begin in the unit, whose block of the source is `block`.
static void take_fields(const struct test *test, const uint32_t *words, uint64_t block,
                        size_t fields, uint32_t *to)
{
    const unsigned bits = test->p[0], skip = skipped(test, block);
    assert(bits < 32 && fields <= fields_in_a_unit(test));
    uint64_t pending = words[0] >> skip;
    unsigned held = 32 - skip;
    for (size_t i = 1, found = 0;; i++, held += 32) {
        for (; held >= bits && found < fields; held -= bits, pending >>= bits)
            to[found++] = (uint32_t)(pending & ((UINT64_C(1) << bits) - 1));
        if (found == fields)
            return;
        pending |= (uint64_t)words[i] << held;
    }
}

// Fields from the bit `at` on, a word after the last of which is there; `highest_first`: the bits
// of words, and so of fields, come with the highest first.
static inline __attribute__((always_inline)) void add_fields(const uint32_t *words, uint64_t at,
                                                             uint64_t fields, unsigned bits,
                                                             bool highest_first, uint64_t *count)
{
    const uint64_t mask = (UINT64_C(1) << bits) - 1;
    for (; fields; fields--, at += bits) {
        const uint32_t *const w = words + at / 32;
        if (highest_first)
            count[((uint64_t)w[0] << 32 | w[1]) >> (64 - at % 32 - bits) & mask]++;
        else
            count[((uint64_t)w[1] << 32 | w[0]) >> at % 32 & mask]++;
    }
}

static void count_fields(const struct test *test, const uint32_t *words, const struct counts *to)
{
    const unsigned bits = test->p[0], skip = skipped(test, to->block);
    const size_t last = ((size_t)1 << test->unit_log2) - 1;
    const uint64_t fields = fields_in_a_unit(test);
    const uint64_t before_last = (32 * last - skip + bits - 1) / bits;
    const uint64_t whole = before_last < fields ? before_last : fields;
    const uint32_t end[2] = {words[last], 0};
    if (test->p[1])
        add_fields(words, skip, whole, bits, true, to->count);
    else
        add_fields(words, skip, whole, bits, false, to->count);
    add_fields(end, (skip + whole * bits) % 32, fields - whole, bits, test->p[1], to->count);
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
    return (struct test){TEST_FUNCTIONS(fields),
                         .about = "small values that follow each other are not evenly spread",
                         .unit_log2 = UNIT_LOG2, .counts = 1u << bits, .p = {bits, order}};
}

// ---- wide fields ------------------------------------------------------------

// At most one field for 256 values.
static size_t wide_fields(const struct test *test)
{
    const unsigned bits = test->p[0];
    return bits >= 32   ? fields_in_a_unit(test)
           : bits >= 23 ? WIDE_FIELDS_MOST
                        : (size_t)1 << (bits - 8);
}

static void count_fields_wide(const struct test *test, const uint32_t *words,
                              const struct counts *to)
{
    const size_t fields = wide_fields(test);
    uint32_t *const value = to->scratch;
    take_fields(test, words, to->block, fields, value);
    const size_t kept = repeats_sieve_u32(value, fields, (unsigned char *)(value + fields));
    sort_u32(value, value + fields, kept);
    to->count[0] += sorted_repeats_u32(value, kept);
}

static void count_fields_long(const struct test *test, const uint32_t *words,
                              const struct counts *to)
{
    const size_t fields = wide_fields(test);
    const unsigned bits = test->p[0];
    const uint64_t mask = (UINT64_C(1) << bits) - 1;
    uint64_t *const value = to->scratch, at = skipped(test, to->block);
    for (size_t i = 0; i < fields; i++, at += bits) {
        const uint32_t *const w = words + at / 32;
        const unsigned from = at % 32;
        value[i] = ((uint64_t)w[1] << 32 | w[0]) >> from;
        if (from + bits > 64)
            value[i] |= (uint64_t)w[2] << (64 - from);
        value[i] &= mask;
    }
    const size_t kept = repeats_sieve_u64(value, fields, (unsigned char *)(value + fields));
    sort_u64(value, value + kept, kept, bits);
    to->count[0] += sorted_repeats_u64(value, kept);
}

static void judge_fields_wide(const struct totals *total, struct judgement *judgement)
{
    const double values = (double)(UINT64_C(1) << total->test->p[0]);
    judgement_add_poisson(
        judgement, 0, total->count[0],
        (double)total->units * null_collision_mean((double)wide_fields(total->test), values), 1);
}

static void describe_fields_wide(const struct test *test, uint32_t index, char *text, size_t size)
{
    (void)index;
    snprintf(text, size,
             "values that repeat among %zu consecutive fields of %u bits, the lowest bit of a word "
             "first",
             wide_fields(test), test->p[0]);
}

struct test test_wide_fields(unsigned bits)
{
    assert(bits >= 16 && bits <= 63);
    struct test test = {TEST_FUNCTIONS(fields_wide),
                        .about = "values that follow each other repeat too often or too seldom",
                        .unit_log2 = UNIT_LOG2, .counts = 1, .p = {bits}};
    if (bits >= 32) {
        test.name = "fields_long";
        test.count = count_fields_long;
        test.unit_log2 = LONG_UNIT_LOG2;
    }
    test.scratch = 2 * wide_fields(&test) * (bits < 32 ? sizeof(uint32_t) : sizeof(uint64_t));
    return test;
}

// ---- ends -------------------------------------------------------------------

enum { SHORTEST = 11, LENGTHS = 32, ENDS = 4 };

// Whether the `SHORTEST` low bits are all equal.
static bool ends_long(uint32_t x)
{
    return ((x + 1) & ((1u << SHORTEST) - 1)) < 2;
}

static unsigned leading(uint32_t x, unsigned bits)
{
    return x ? (unsigned)__builtin_clz(x) + bits - 32 : bits;
}

static unsigned trailing(uint32_t x, unsigned bits)
{
    return x ? (unsigned)__builtin_ctz(x) : bits;
}

static void count_field_ends(const struct test *test, const uint32_t *words,
                             const struct counts *to)
{
    const unsigned bits = test->p[0];
    const size_t fields = fields_in_a_unit(test);
    uint32_t *const field = to->scratch;
    take_fields(test, words, to->block, fields, field);
    for (size_t i = 0; i < fields; i++) {
        const uint32_t x = field[i], not = x ^ ((1u << bits) - 1);
        if (!ends_long(x) && !ends_long(x >> (bits - SHORTEST)))
            continue;
        const unsigned length[ENDS] = {leading(x, bits), leading(not, bits), trailing(x, bits),
                                       trailing(not, bits)};
        for (unsigned e = 0; e < ENDS; e++)
            to->count[e * LENGTHS + length[e]] += length[e] >= SHORTEST;
    }
}

static void judge_field_ends(const struct totals *total, struct judgement *judgement)
{
    const uint64_t n = total->units * fields_in_a_unit(total->test);
    for (unsigned e = 0; e < ENDS; e++) {
        uint64_t longer = 0;
        for (unsigned k = total->test->p[0]; k >= SHORTEST; k--) {
            longer += total->count[e * LENGTHS + k];
            judgement_add_binomial(judgement, e * LENGTHS + k, longer, n, 1.0 / (double)(1u << k));
        }
    }
}

static void describe_field_ends(const struct test *test, uint32_t index, char *text, size_t size)
{
    static const char *const end[ENDS] = {"zeros at the top", "ones at the top",
                                          "zeros at the bottom", "ones at the bottom"};
    snprintf(text, size, "consecutive fields of %u bits with %u or more %s", test->p[0],
             (unsigned)index % LENGTHS, end[index / LENGTHS]);
}

struct test test_field_ends(unsigned bits)
{
    assert(bits >= SHORTEST && bits < LENGTHS);
    return (struct test){TEST_FUNCTIONS(field_ends),
                         .about = "the smallest or largest values are missing or too many",
                         .unit_log2 = UNIT_LOG2,
                         .counts = ENDS * LENGTHS,
                         .scratch = (((size_t)32 << UNIT_LOG2) / bits + 1) * sizeof(uint32_t),
                         .p = {bits}};
}
