// SPDX-License-Identifier: Apache-2.0
// How often 32-bit values repeat within 2^18 or 2^20 words. Too often: a source with few values.
// Too seldom: one that deals its values like a deck of cards (a permuted counter).
// Null: balls in 2^32 cells. Collisions are held against Poisson's law of the exact mean, which
// bounds theirs (proof: null_collision_mean in null.h), for any number of units.
// Source: Knuth, volume 2, 3.3.2 I.
// Parameters: p[0] form: 0 whole words, 1 the high halves of two neighbours, 2 the low halves, 3
// the low halves of words two apart, 4 the exclusive or of all words of the unit so far, 5 their
// sum; p[1] log2 of the words of a unit. Forms 4 and 5 are independent and uniform, as the words
// are, and come again where a stretch of words cancels (a check sum, a parity).

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "stats/law/null.h"
#include "stats/kernel/repeats.h"
#include "stats/kernel/sort.h"
#include "stats/battery/catalogue.h"

enum { WORDS, HIGH_HALVES, LOW_HALVES, LOW_HALVES_APART, EXCLUSIVE_OR, SUM };

static size_t balls(const unsigned p[2])
{
    return ((size_t)1 << p[1]) / (p[0] >= HIGH_HALVES && p[0] <= LOW_HALVES_APART ? 2 : 1);
}

static void make_values(unsigned form, const uint32_t *words, size_t n, uint32_t *value)
{
    uint32_t so_far = 0;
    switch (form) {
    case WORDS:
        memcpy(value, words, n * sizeof *value);
        break;
    case EXCLUSIVE_OR:
        for (size_t i = 0; i < n; i++)
            value[i] = so_far ^= words[i];
        break;
    case SUM:
        for (size_t i = 0; i < n; i++)
            value[i] = so_far += words[i];
        break;
    case HIGH_HALVES:
        for (size_t i = 0; i < n; i++)
            value[i] = words[2 * i] >> 16 | (words[2 * i + 1] & 0xffff0000u);
        break;
    case LOW_HALVES:
        for (size_t i = 0; i < n; i++)
            value[i] = (words[2 * i] & 0xffffu) | words[2 * i + 1] << 16;
        break;
    default:
        for (size_t i = 0; i < n; i++) {
            const size_t at = i / 2 * 4 + i % 2;
            value[i] = (words[at] & 0xffffu) | words[at + 2] << 16;
        }
    }
}

static void count_collisions(const struct test *test, const uint32_t *words,
                             const struct counts *to)
{
    const size_t n = balls(test->p);
    uint32_t *const value = to->scratch;
    make_values(test->p[0], words, n, value);
    // Only values that may repeat are sorted.
    const size_t kept = repeats_sieve_u32(value, n, (unsigned char *)(value + n));
    sort_u32(value, value + n, kept);
    to->count[0] += sorted_repeats_u32(value, kept);
    const size_t most = to->bag->count + 1024; // a constant source does not fill the memory
    for (size_t i = 1; i < kept && to->bag->count < most; i++)
        if (value[i] == value[i - 1] && (i == 1 || value[i] != value[i - 2]))
            bag_add(to->bag, value[i]);
}

static void judge_collisions(const struct totals *total, struct judgement *judgement)
{
    const double mean =
        (double)total->units * null_collision_mean((double)balls(total->test->p), 0x1p32);
    judgement_add_poisson(judgement, 0, total->count[0], mean, true);
    // Values that repeat in more than one unit: each of the kept ones is uniform, and units are
    // independent.
    if (!bag_sort(total->bag, 32))
        return;
    const uint64_t again = sorted_repeats_u64(total->bag->item, total->bag->count);
    const double kept = (double)total->bag->count;
    judgement_add_poisson(judgement, 1, again, kept * (kept - 1) * 0x1p-33, false);
}

static void describe_collisions(const struct test *test, uint32_t index, char *text, size_t size)
{
    static const char *const form[] = {"words",
                                       "pairs of high halves",
                                       "pairs of low halves",
                                       "low halves of words two apart",
                                       "exclusive ors of all words so far",
                                       "sums of all words so far"};
    snprintf(text, size, "%s that repeat within %u words%s", form[test->p[0]], 1u << test->p[1],
             index ? ", and again within another such stretch" : "");
}

struct test test_collisions(unsigned form, unsigned unit_log2)
{
    assert(form <= SUM && (unit_log2 == 18 || unit_log2 == 20));
    return (struct test){TEST_FUNCTIONS(collisions),
                         .about = "values repeat too often or too seldom",
                         .unit_log2 = unit_log2,
                         .counts = 1,
                         .keeps = true,
                         .scratch =
                             2 * balls((const unsigned[2]){form, unit_log2}) * sizeof(uint32_t),
                         .p = {form, unit_log2}};
}
