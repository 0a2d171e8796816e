// SPDX-License-Identifier: Apache-2.0
// Three-term sums at any two distances up to some thousand values: does x[n] +- x[n - r] +- x[n -
// s] stay near zero, modulo the range, at MET places in a row? A generator that adds or subtracts
// two values from a table does so always, however its lags were chosen, and even when only the high
// bits of its values are given out.
// All pairs are searched without trying them: values are sorted by their high bits at the first
// place, which leaves few to be tried. Places lie a multiple of eight values apart, so that each
// packed value is met at the same place of its word, in whatever order they were packed.
// Null: given the values before, x[n] is uniform. So a place is met with the chance (2 tolerance +
// 1) / range, whatever came before, and all MET places with its power, exactly. Units are
// independent: Binomial(units, chance) for each pair of distances and signs. Only pairs that were
// met need a figure.
// Source: Knuth, volume 2, 3.2.2 and 3.3.3; Ziff, doi:10.1063/1.168692 (relations of few terms in
// lagged generators); as sums.c.
// Parameters: p[0] bits of a value: 32, 16, 8 or 4; p[1] greatest distance, in values, below 2^13.

#include <assert.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "stats/battery/catalogue.h"

enum { UNIT_LOG2 = 16, BUCKETS = 256, STEP = 56, KEPT = 64, LAG_BITS = 13 };

// The four pairs of signs; a plus and a minus are one case, as the distances are tried in both
// orders.
enum { BOTH_PLUS, BOTH_MINUS, PLUS_MINUS, SIGNS };

// Halfwords may be off by 2^-8 of the range, smaller values by one: what a carry from bits that are
// not shown can do.
static unsigned tolerance(unsigned bits)
{
    return bits > 8 ? 1u << (bits - 8) : 1;
}

static unsigned places(unsigned bits)
{
    return bits == 4 ? 32 : 9; // at least 57 bits of evidence
}

static double chance_of_all(unsigned bits)
{
    const double one = (2.0 * tolerance(bits) + 1) / (double)(UINT64_C(1) << bits);
    double all = true;
    for (unsigned i = 0; i < places(bits); i++)
        all *= one;
    return all;
}

struct search {
    const uint32_t *value; // at the first place, shifted up to 32 bits
    uint32_t tolerance, step;
    unsigned places;
};

static bool is_met(const struct search *search, unsigned r, unsigned s, unsigned signs)
{
    for (unsigned i = 0; i < search->places; i++) {
        const uint32_t *const x = search->value + (size_t)i * STEP;
        const uint32_t a = x[-(ptrdiff_t)r], b = x[-(ptrdiff_t)s];
        const uint32_t sum =
            x[0] + (signs == BOTH_MINUS ? 0 - a : a) + (signs == BOTH_PLUS ? b : 0 - b);
        if (sum + search->tolerance > 2 * search->tolerance)
            return false;
    }
    return true;
}

static void count_relations(const struct test *test, const uint32_t *words, const struct counts *to)
{
    const unsigned bits = test->p[0], parts = 32 / bits, last = test->p[1],
                   size = last + places(bits) * STEP + 1;
    uint32_t *const value = to->scratch;
    uint16_t *const sorted = (uint16_t *)(value + size);
    for (unsigned i = 0; i < size; i++)
        value[i] = words[i / parts] >> i % parts * bits << (32 - bits);
    const struct search search = {value + last, tolerance(bits) << (32 - bits), 0, places(bits)};
    // Distances by the high byte of the value that stands there.
    unsigned start[BUCKETS + 1] = {0};
    for (unsigned s = 1; s <= last; s++)
        start[(search.value[-(ptrdiff_t)s] >> 24) + 1]++;
    for (unsigned b = 0; b < BUCKETS; b++)
        start[b + 1] += start[b];
    unsigned fill[BUCKETS];
    memcpy(fill, start, sizeof fill);
    for (unsigned s = 1; s <= last; s++)
        sorted[fill[search.value[-(ptrdiff_t)s] >> 24]++] = (uint16_t)s;
    const uint32_t span = search.tolerance >> 24 ? search.tolerance >> 24 : 1;
    unsigned found = 0;
    for (unsigned r = 1; r <= last; r++)
        for (unsigned signs = 0; signs < SIGNS; signs++) {
            const uint32_t a = search.value[-(ptrdiff_t)r],
                           so_far = search.value[0] + (signs == BOTH_MINUS ? 0 - a : a);
            const uint32_t wanted = (signs == BOTH_PLUS ? 0 - so_far : so_far) >> 24;
            for (uint32_t bucket = wanted + BUCKETS - span; bucket <= wanted + BUCKETS + span;
                 bucket++)
                for (unsigned at = start[bucket % BUCKETS]; at < start[bucket % BUCKETS + 1];
                     at++) {
                    const unsigned s = sorted[at];
                    if ((signs == PLUS_MINUS ? s == r : s <= r) || !is_met(&search, r, s, signs))
                        continue;
                    if (found++ < KEPT) // a source that is constant does not fill the memory
                        bag_add(to->bag, ((uint64_t)r << LAG_BITS | s) * SIGNS + signs);
                }
        }
}

static void judge_relations(const struct totals *total, struct judgement *judgement)
{
    const uint64_t last = total->test->p[1], family = last * (last - 1) * 2;
    // The pair that was met most often; for a repeat, the one that is asked for.
    uint32_t index = (UINT32_C(2) << LAG_BITS | 1) * SIGNS;
    const uint64_t most = bag_commonest(total->bag, 2 * LAG_BITS + 2, judgement->only, &index);
    judgement_enlarge(judgement, family - 1);
    judgement_add_rare(judgement, index, most, total->units, chance_of_all(total->test->p[0]));
}

static void describe_relations(const struct test *test, uint32_t index, char *text, size_t size)
{
    static const char *const sign[SIGNS][2] = {
        {"plus", "plus"}, {"minus", "minus"}, {"plus", "minus"}};
    const unsigned signs = index % SIGNS, lags = (unsigned)index / SIGNS;
    snprintf(
        text, size,
        "stretches in which %u-bit values %s the one %u before %s the one %u before stay near zero",
        test->p[0], sign[signs][0], lags >> LAG_BITS, sign[signs][1],
        lags & ((1u << LAG_BITS) - 1));
}

struct test test_relations(unsigned bits, unsigned lags)
{
    assert(lags < 8192 && (bits == 32 || bits == 16 || bits == 8 || bits == 4));
    const size_t size = lags + places(bits) * STEP + 1;
    return (struct test){TEST_FUNCTIONS(relations),
                         .about = "values are sums or differences of earlier ones",
                         .unit_log2 = UNIT_LOG2,
                         .keeps = true,
                         .scratch = size * sizeof(uint32_t) + (lags + 1) * sizeof(uint16_t),
                         .p = {bits, lags}};
}
