// SPDX-License-Identifier: Apache-2.0
// A word against an earlier one, bit by bit: ones of x[i] ^ rotate_right(x[i - lag], r) at each bit
// position, and how often the two are equal. With all 32 rotations every bit of one word meets
// every bit of the other.
// Null: given the first words, the differences are independent and uniform. So each count is
// Binomial(n, 1/2), exactly, and equal words, and complements, are Binomial(n, 2^-32). At lag 0 a
// word meets its own rotation. Counts at one position are fair there as well. So are all positions
// together but one in each cycle of the rotation, which the others determine. A word equals its
// rotation when each cycle of the rotation is constant. Lags are dependent, so each count stands
// alone in Holm's family.
// Source: L'Ecuyer, Simard, "TestU01", doi:10.1145/1268776.1268777 (sstring_AutoCor).
// Parameters: p[0] configurations in `list`.

#include <assert.h>
#include <stdbool.h>
#include <stdio.h>

#include "stats/kernel/kernel.h"
#include "stats/battery/catalogue.h"

enum { UNIT_LOG2 = 16, SLOTS = KERNEL_POSITIONS + 2, CHUNK = 256 };

static const unsigned period[] = {256, 128, 64, 32, 1};
enum { PERIODS = sizeof period / sizeof *period, HYPOTHESES = 256 + 128 + 64 + 32 + 1 + 2 };

// Words at the head of a unit that have no partner inside it, up to a whole chunk.
static size_t skipped(unsigned lag)
{
    return ((size_t)lag + CHUNK - 1) / CHUNK * CHUNK;
}

// Cycles of the bits of a word under a rotation: bits that are equal modulo this number.
static unsigned cycles_of(unsigned rotation)
{
    unsigned cycles = 32;
    while (rotation % cycles)
        cycles /= 2;
    return cycles;
}

// P(a word equals its own rotation, or its complement): the rotation's cycles, gcd(rotation, 32) of
// them, must each be constant, or alternate, for which their length must be even.
static double event_within(unsigned rotation, unsigned opposite)
{
    const unsigned cycles = cycles_of(rotation);
    (void)opposite; // all cycle lengths but 1 are even
    double p = 1;
    for (unsigned i = cycles; i < 32; i++)
        p /= 2;
    return p;
}

static void count_lags(const struct test *test, const uint32_t *words, const struct counts *to)
{
    const size_t unit = (size_t)1 << test->unit_log2;
    for (unsigned c = 0; c < test->p[0]; c++) {
        const unsigned lag = test->list[2 * c], rotation = test->list[2 * c + 1];
        uint64_t *const slot = to->count + (size_t)c * SLOTS;
        kernel_chosen()->lag(words + skipped(lag), unit - skipped(lag), lag, rotation, slot,
                             slot + KERNEL_POSITIONS);
    }
}

static void judge_lags(const struct totals *total, struct judgement *judgement)
{
    for (unsigned c = 0; c < total->test->p[0]; c++) {
        const unsigned lag = total->test->list[2 * c], rotation = total->test->list[2 * c + 1];
        const uint64_t words =
            total->units * (((uint64_t)1 << total->test->unit_log2) - skipped(lag));
        const uint64_t *const slot = total->count + (size_t)c * SLOTS;
        uint32_t index = c * HYPOTHESES;
        for (unsigned f = 0; f < PERIODS; f++) {
            const uint64_t n = words * 32 / period[f];
            // Half a turn of a word against itself sees every pair twice.
            const bool whole_word = lag == 0 && period[f] < 32, twice = lag == 0 && rotation == 16;
            const unsigned left_out = whole_word ? cycles_of(rotation) : 0;
            for (unsigned position = 0; position < period[f]; position++, index++) {
                if (twice && !whole_word && position % 32 >= 16)
                    continue;
                uint64_t ones = 0;
                for (unsigned at = position; at < KERNEL_POSITIONS; at += period[f])
                    if (at % 32 >= left_out)
                        ones += slot[at];
                judgement_add_fair(judgement, index, ones, n / 32 * (32 - left_out));
            }
        }
        for (unsigned e = 0; e < 2; e++, index++) {
            const double p = lag ? 0x1p-32 : event_within(rotation, e);
            if (p > 0)
                judgement_add_rare(judgement, index, slot[KERNEL_POSITIONS + e], words, p);
        }
    }
}

static void describe_lags(const struct test *test, uint32_t index, char *text, size_t size)
{
    const unsigned c = index / HYPOTHESES, lag = test->list[2 * c],
                   rotation = test->list[2 * c + 1];
    index %= HYPOTHESES;
    char turned[40] = "";
    if (rotation)
        snprintf(turned, sizeof turned, " rotated right by %u", rotation);
    if (index >= HYPOTHESES - 2) {
        snprintf(text, size, "words equal to %s %u words before%s",
                 index == HYPOTHESES - 1 ? "the complement of the one" : "the one", lag, turned);
        return;
    }
    unsigned f = 0;
    while (f + 1 < PERIODS && index >= period[f])
        index -= period[f++];
    if (period[f] == 1)
        snprintf(text, size, "fraction of bits that differ from the word %u words before%s", lag,
                 turned);
    else
        snprintf(text, size,
                 "fraction of differences at bit %u of every %u, from the word %u words before%s",
                 (unsigned)index, period[f], lag, turned);
}

struct test test_lags(const char *name, const unsigned *list, unsigned configurations)
{
    assert(configurations > 0);
    return (struct test){.name = name,
                         .about = "words depend on earlier words bit by bit",
                         .unit_log2 = UNIT_LOG2,
                         .counts = configurations * SLOTS,
                         .count = count_lags,
                         .judge = judge_lags,
                         .describe = describe_lags,
                         .p = {configurations},
                         .list = list,
                         .listed = 2 * configurations};
}

// ---- every lag --------------------------------------------------------------

// One hypothesis for each bit position of a word and each lag, and the two events; p[0] lags.
enum { ALL_SLOTS = 34 };

static void count_lags_all(const struct test *test, const uint32_t *words, const struct counts *to)
{
    const size_t unit = (size_t)1 << test->unit_log2;
    for (unsigned lag = 1; lag <= test->p[0]; lag++) {
        uint64_t position[KERNEL_POSITIONS] = {0};
        uint64_t *const slot = to->count + (size_t)(lag - 1) * ALL_SLOTS;
        kernel_chosen()->lag(words + skipped(lag), unit - skipped(lag), lag, 0, position,
                             slot + 32);
        for (unsigned i = 0; i < KERNEL_POSITIONS; i++)
            slot[i % 32] += position[i];
    }
}

static void judge_lags_all(const struct totals *total, struct judgement *judgement)
{
    for (unsigned lag = 1; lag <= total->test->p[0]; lag++) {
        const uint64_t n = total->units * (((uint64_t)1 << total->test->unit_log2) - skipped(lag));
        const uint64_t *const slot = total->count + (size_t)(lag - 1) * ALL_SLOTS;
        for (unsigned i = 0; i < 32; i++)
            judgement_add_fair(judgement, (lag - 1) * ALL_SLOTS + i, slot[i], n);
        for (unsigned i = 32; i < ALL_SLOTS; i++)
            judgement_add_rare(judgement, (lag - 1) * ALL_SLOTS + i, slot[i], n, 0x1p-32);
    }
}

static void describe_lags_all(const struct test *test, uint32_t index, char *text, size_t size)
{
    (void)test;
    const unsigned lag = (unsigned)index / ALL_SLOTS + 1, i = index % ALL_SLOTS;
    if (i < 32)
        snprintf(text, size, "fraction of differences at bit %u from the word %u words before", i,
                 lag);
    else
        snprintf(text, size, "words equal to %s %u words before",
                 i == 33 ? "the complement of the one" : "the one", lag);
}

struct test test_lags_all(unsigned lags)
{
    return (struct test){TEST_FUNCTIONS(lags_all),
                         .about = "words depend on earlier words bit by bit",
                         .unit_log2 = UNIT_LOG2, .counts = lags * ALL_SLOTS, .p = {lags}};
}
