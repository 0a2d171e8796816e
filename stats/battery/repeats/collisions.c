// SPDX-License-Identifier: Apache-2.0
// How often 32-bit values repeat within 2^18 or 2^20 words. Too often: a source with few values.
// Too seldom: one that deals its values like a deck of cards (a permuted counter).
// Null: balls in equally likely cells, 2^32 but for collisions_alike. Collisions are held against
// Poisson's law of the exact mean, which bounds theirs (proof: null_collision_mean in null.h), for
// any number of units.
// Source: Knuth, volume 2, 3.3.2 I; of words that are alike Burnside's lemma.
// Parameters: p[0] form: 0 whole words, 1 the high halves of two neighbours, 2 the low halves, 3
// the low halves of words two apart, 4 the exclusive or of all words of the unit so far, 5 their
// sum; p[1] log2 of the words of a unit. Forms 4 and 5 are independent and uniform, as the words
// are, and come again where a stretch of words cancels (a check sum, a parity).
//
// collisions_alike: words that come again rotated (form 6), complemented (7), negated (8), or with
// their bytes, their bits, or the bits of each byte in reverse order (9). Words that go over into
// each other share a cell, whose name is the least of them. Those that one of these maps leaves as
// they are lie in smaller cells, and are passed over: what is left is uniform over cells of one
// size, and so are the first balls of it. A unit has some tens of such words; where more than are
// spared are missing, which has a chance below 10^-40, the last ball counts once more.

#include <assert.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "stats/law/null.h"
#include "stats/kernel/repeats.h"
#include "stats/kernel/sort.h"
#include "stats/battery/catalogue.h"
#include "stats/battery/repeats/alike.h"

enum { WORDS, HIGH_HALVES, LOW_HALVES, LOW_HALVES_APART, EXCLUSIVE_OR, SUM, FIRST_ALIKE };
enum { FORMS = FIRST_ALIKE + ALIKE_KINDS };
enum { KEPT_LOG2 = 7 }; // at most one ball in so many is kept

// Of the forms from FIRST_ALIKE on: words in smaller cells; how many of these a unit of 2^20 words
// is spared, where it has 16, none, one in 2,000 units and 48.
static const struct {
    unsigned symmetric, spared;
} smaller[] = {{1 << 16, 128}, {0, 0}, {2, 16}, {3 * ((1 << 16) - (1 << 8)) + (1 << 8), 256}};

static size_t balls(const unsigned p[2])
{
    const size_t words = (size_t)1 << p[1];
    return p[0] >= FIRST_ALIKE ? words - smaller[p[0] - FIRST_ALIKE].spared
           : p[0] >= HIGH_HALVES && p[0] <= LOW_HALVES_APART ? words / 2
                                                             : words;
}

static double cells(unsigned form)
{
    return form < FIRST_ALIKE ? 0x1p32
                              : (0x1p32 - smaller[form - FIRST_ALIKE].symmetric) /
                                    alike[form - FIRST_ALIKE].in_cell;
}

static void make_alike(unsigned form, const uint32_t *words, size_t unit, size_t n, uint32_t *value)
{
    size_t made = 0;
    for (size_t i = 0; i < unit && made < n; i++) {
        bool symmetric = false;
        value[made] = alike_name(form - FIRST_ALIKE, words[i], &symmetric);
        made += !symmetric;
    }
    for (; made < n; made++)
        value[made] = made ? value[made - 1] : 0;
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
    const size_t room = test->p[0] >= FIRST_ALIKE ? (size_t)1 << test->p[1] : n;
    uint32_t *const value = to->scratch;
    if (test->p[0] >= FIRST_ALIKE)
        make_alike(test->p[0], words, room, n, value);
    else
        make_values(test->p[0], words, n, value);
    // Only values that may repeat are sorted.
    const size_t kept = repeats_sieve_u32(value, n, (unsigned char *)(value + room));
    sort_u32(value, value + room, kept);
    to->count[0] += sorted_repeats_u32(value, kept);
    // A source that is constant does not fill the memory; of a perfect one all are kept.
    const size_t most = to->bag->count + (n >> KEPT_LOG2);
    for (size_t i = 1; i < kept && to->bag->count < most; i++)
        if (value[i] == value[i - 1] && (i == 1 || value[i] != value[i - 2]))
            bag_add(to->bag, value[i]);
}

static void judge_collisions(const struct totals *total, struct judgement *judgement)
{
    const double mean = (double)total->units * null_collision_mean((double)balls(total->test->p),
                                                                   cells(total->test->p[0]));
    judgement_add_poisson(judgement, 0, total->count[0], mean, true);
    // Values that repeat in more than one unit: each of the kept ones is uniform, and units are
    // independent.
    if (!bag_sort(total->bag, 32))
        return;
    const uint64_t again = sorted_repeats_u64(total->bag->item, total->bag->count);
    const double kept = (double)total->bag->count;
    judgement_add_poisson(judgement, 1, again, kept * (kept - 1) / 2 / cells(total->test->p[0]),
                          false);
}

static void describe_collisions(const struct test *test, uint32_t index, char *text, size_t size)
{
    static const char *const form[] = {"words",
                                       "pairs of high halves",
                                       "pairs of low halves",
                                       "low halves of words two apart",
                                       "exclusive ors of all words so far",
                                       "sums of all words so far"};
    const unsigned which = test->p[0];
    const char *const again = index ? ", and again within another such stretch" : "";
    if (which >= FIRST_ALIKE)
        snprintf(text, size, "words that repeat, as they are or %s, within %u words%s",
                 alike[which - FIRST_ALIKE].how, 1u << test->p[1], again);
    else
        snprintf(text, size, "%s that repeat within %u words%s", form[which], 1u << test->p[1],
                 again);
}

struct test test_collisions(unsigned form, unsigned unit_log2)
{
    assert(form < FORMS && (unit_log2 == 18 || unit_log2 == 20));
    const size_t room =
        form >= FIRST_ALIKE ? (size_t)1 << unit_log2 : balls((const unsigned[2]){form, unit_log2});
    return (struct test){.name = form >= FIRST_ALIKE ? "collisions_alike" : "collisions",
                         .count = count_collisions,
                         .judge = judge_collisions,
                         .describe = describe_collisions,
                         .about = "values repeat too often or too seldom",
                         .unit_log2 = unit_log2,
                         .counts = 1,
                         .keeps = true,
                         .scratch = 2 * room * sizeof(uint32_t),
                         .p = {form, unit_log2}};
}
