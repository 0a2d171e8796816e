// SPDX-License-Identifier: Apache-2.0
// Remainders that depend on those of the values before: r[i], of value i modulo m, is
// - that of the value `lag` before, or what makes a multiple of their sum;
// - what makes the sum (or the difference) of the last two that of the two that end `lag` before;
// - what makes the last `lag` values add up to a multiple (modulo numbers up to 61).
// The moduli are the primes up to 1,021 and the odd prime powers up to 49, those above 61 at few
// lags.
// Null: whatever came before, one remainder of m fulfils it, and 2^bits / m values, rounded either
// way, leave that remainder. So counts are binomial with 1 / m, but for a part of m 2^-bits of it.
// Of values of 32 bits that is less than a hundredth of a standard deviation after 10^5 nights.
// Source: Knuth, volume 2, 3.3.2 B and J.
// Parameter: p[0] bits of a value, 32 or 64.

#include <assert.h>
#include <stdio.h>

#include "stats/battery/catalogue.h"
#include "stats/battery/values/residues.h"
#include "stats/kernel/kernel.h"

enum { UNIT_LOG2 = 16, UNIT = 1 << UNIT_LOG2, CHUNK = 1024, PART = 8192 };
enum { LAST = 1021, LAST_AT_LENGTH = 61, LAGS = 64, LAGS_FEW = 4 };

enum relation { SAME, OPPOSITE, SUM, DIFFERENCE, RUN, RELATIONS };

// The next modulus from m on.
static unsigned modulus_from(unsigned m)
{
    const unsigned p = residues_prime_from(m);
    static const unsigned power[] = {9, 25, 27, 49};
    for (unsigned i = 0; i < sizeof power / sizeof *power; i++)
        if (power[i] >= m && power[i] < p)
            return power[i];
    return p;
}

static unsigned lags_of(unsigned m)
{
    return m <= LAST_AT_LENGTH ? LAGS : LAGS_FEW;
}

static unsigned relations_of(unsigned m)
{
    return m <= LAST_AT_LENGTH ? RELATIONS : RUN;
}

// Series that are compared with themselves `lag` before; SAME holds residues, which OPPOSITE are
// compared with.
struct series {
    uint32_t residue[CHUNK];
    uint16_t of[RELATIONS][UNIT];
    uint8_t narrow[2][UNIT]; // the two that are compared, of a modulus that fits a byte
};

// Below m, of a residue or a sum of two.
static inline uint16_t below(uint16_t x, uint16_t m)
{
    const uint16_t less = (uint16_t)(x - m);
    return less < x ? less : x;
}

static size_t fill_series(const struct test *test, const uint32_t *words, uint16_t m,
                          struct series *s)
{
    uint16_t *restrict const r = s->of[SAME], *restrict const opposite = s->of[OPPOSITE],
                             *restrict const sum = s->of[SUM],
                             *restrict const difference = s->of[DIFFERENCE];
    size_t n = 0;
    for (size_t i = 0; i < UNIT; i += CHUNK) {
        const size_t values = residues_find(words + i, CHUNK, test->p[0], m, s->residue);
        for (size_t j = 0; j < values; j++)
            r[n + j] = (uint16_t)s->residue[j];
        n += values;
    }
    for (size_t i = 0; i < n; i++)
        opposite[i] = below((uint16_t)(m - r[i]), m);
    sum[0] = difference[0] = r[0];
    for (size_t i = 1; i < n; i++) {
        sum[i] = below((uint16_t)(r[i] + r[i - 1]), m);
        difference[i] = below((uint16_t)(r[i] + opposite[i - 1]), m);
    }
    for (size_t i = 0, run = 0; i < n && relations_of(m) > RUN; i++)
        s->of[RUN][i] = (uint16_t)(run = below((uint16_t)(run + r[i]), m));
    return n;
}

static void narrow(const uint16_t *restrict from, size_t values, uint8_t *restrict to)
{
    for (size_t i = 0; i < values; i++)
        to[i] = (uint8_t)from[i];
}

static void count_narrow(const uint16_t *now, const uint16_t *before, size_t values, unsigned lags,
                         uint8_t narrowed[2][UNIT], uint64_t *count)
{
    narrow(now, values, narrowed[0]);
    narrow(before, values, narrowed[1]);
    for (size_t from = LAGS, part; from < values; from += part) {
        part = values - from < PART ? values - from : PART;
        kernel_chosen()->equal_bytes(narrowed[0] + from, narrowed[1] + from - 1, part, lags, count);
    }
}

static void count_wide(const uint16_t *now, const uint16_t *before, size_t values, unsigned lags,
                       uint64_t *count)
{
    for (size_t from = LAGS, part; from < values; from += part) {
        part = values - from < PART ? values - from : PART;
        for (unsigned lag = 1; lag <= lags; lag++)
            count[lag - 1] += kernel_chosen()->equals(now + from, before + from - lag, part);
    }
}

// A part of a series stays in the cache for all lags.
static void count_residue_lags(const struct test *test, const uint32_t *words,
                               const struct counts *to)
{
    struct series *const s = to->scratch;
    uint64_t *count = to->count;
    for (unsigned m = 3; m <= LAST; m = modulus_from(m + 2)) {
        const size_t n = fill_series(test, words, (uint16_t)m, s);
        for (unsigned relation = 0; relation < relations_of(m); relation++, count += lags_of(m)) {
            const uint16_t *const now = s->of[relation == OPPOSITE ? SAME : relation];
            if (m <= UINT8_MAX)
                count_narrow(now, s->of[relation], n, lags_of(m), s->narrow, count);
            else
                count_wide(now, s->of[relation], n, lags_of(m), count);
        }
    }
}

static void judge_residue_lags(const struct totals *total, struct judgement *judgement)
{
    const uint64_t n = total->units * ((UINT64_C(32) << UNIT_LOG2) / total->test->p[0] - LAGS),
                   *count = total->count;
    for (unsigned m = 3; m <= LAST; m = modulus_from(m + 2))
        for (unsigned relation = 0; relation < relations_of(m); relation++)
            for (unsigned lag = 1; lag <= lags_of(m); lag++)
                judgement_add_binomial(judgement, (m * RELATIONS + relation) * LAGS + lag - 1,
                                       *count++, n, 1.0 / m);
}

static void describe_residue_lags(const struct test *test, uint32_t index, char *text, size_t size)
{
    static const char *const relation[RELATIONS] = {"equal", "opposite", "sums of two are equal",
                                                    "differences of two are equal",
                                                    "sums of so many are multiples"};
    snprintf(text, size, "residues of values of %u bits modulo %u, lag %u: %s", test->p[0],
             (unsigned)index / LAGS / RELATIONS, (unsigned)index % LAGS + 1,
             relation[index / LAGS % RELATIONS]);
}

struct test test_residue_lags(unsigned bits)
{
    assert(bits == 32 || bits == 64);
    struct test test = {TEST_FUNCTIONS(residue_lags),
                        .about = "remainders depend on those of the words before",
                        .unit_log2 = UNIT_LOG2, .scratch = sizeof(struct series), .p = {bits}};
    for (unsigned m = 3; m <= LAST; m = modulus_from(m + 2))
        test.counts += relations_of(m) * lags_of(m);
    return test;
}
