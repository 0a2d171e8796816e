// SPDX-License-Identifier: Apache-2.0
// Single words that came before, at any distance: too often where they are copied from far before,
// too seldom where none comes twice. What is kept depends on the word alone, as in duplicates.c.
// Forms: words as they are, and but for their 3 low bits; words that are turned by any number of
// bits; words with their bytes, their bits, or the bits of each byte in reverse order.
// Null: the words that are kept are independent and uniform among those that may be, however many
// they are. Repeats are held against Poisson's law of the exact mean (null_collision_mean).
// - As they are: those are kept whose 29 high bits, times an odd number, begin with four zeros:
// 2^28
//   words, 2^25 but for their low bits.
// - Turned or reversed: those with 11 ones are kept. What any of these maps leaves as it is has an
//   even number of ones, for the map takes each of its bits from another place, in cycles of one
//   length, a power of 2. So all cells have one size: C(32, 11) / 32 or / 4 of them.
// Source: Knuth, volume 2, 3.3.2 I; Burnside's lemma.
// Parameters: p[0] form: 0 as they are, 1 turned, 2 reversed.

#include <assert.h>
#include <stdio.h>

#include "stats/kernel/kernel.h"
#include "stats/kernel/sort.h"
#include "stats/law/null.h"
#include "stats/battery/catalogue.h"
#include "stats/battery/repeats/alike.h"

enum { UNIT_LOG2 = 16, UNIT = 1 << UNIT_LOG2 };
enum { THINNING = 4, LOW_BITS = 3, ONES = 11, WORDS_OF_11_ONES = 129024480 };
enum { AS_THEY_ARE, TURNED, REVERSED, FORMS };

static unsigned kind_of(unsigned form)
{
    return form == TURNED ? ALIKE_ROTATED : ALIKE_REVERSED;
}

// A source that is constant does not fill the memory: at most `share` values of a unit are kept.
static void keep_as_they_are(const uint32_t *words, size_t share, const struct counts *to)
{
    const uint32_t odd = UINT32_C(0x9e3779b1), high = ~((UINT32_C(1) << LOW_BITS) - 1);
    uint32_t *const kept = to->scratch;
    size_t found = 0;
    for (size_t i = 0; i < UNIT; i++) {
        kept[found] = words[i];
        found += (words[i] & high) * odd <= UINT32_MAX >> THINNING;
    }
    for (size_t f = 0; f < found && f < share; f++)
        bag_add(to->bag, kept[f]);
}

static void keep_alike(unsigned form, const uint32_t *words, size_t share, const struct counts *to)
{
    uint8_t *const ones = to->scratch;
    bool symmetric = false;
    kernel_chosen()->popcounts(words, UNIT, ones);
    for (size_t i = 0, found = 0; i < UNIT && found < share; i++)
        if (ones[i] == ONES) {
            bag_add(to->bag, alike_name(kind_of(form), words[i], &symmetric));
            found++;
        }
    assert(!symmetric);
}

static void count_returns(const struct test *test, const uint32_t *words, const struct counts *to)
{
    if (test->p[0] == AS_THEY_ARE)
        keep_as_they_are(words, UNIT / 2, to);
    else
        keep_alike(test->p[0], words, UNIT / 8, to);
}

static void judge_returns(const struct totals *total, struct judgement *judgement)
{
    const struct bag *const bag = total->bag;
    if (!bag_sort(total->bag, 32))
        return;
    const double n = (double)bag->count;
    const double cells =
        total->test->p[0] == AS_THEY_ARE
            ? 0x1p32 / (1 << THINNING)
            : (double)(WORDS_OF_11_ONES / alike[kind_of(total->test->p[0])].in_cell);
    judgement_add_poisson(judgement, 0, sorted_repeats_u64(bag->item, bag->count),
                          null_collision_mean(n, cells), true);
    if (total->test->p[0] != AS_THEY_ARE)
        return;
    uint64_t near = 0;
    for (size_t i = 1; i < bag->count; i++)
        near += bag->item[i] >> LOW_BITS == bag->item[i - 1] >> LOW_BITS;
    judgement_add_poisson(judgement, 1, near, null_collision_mean(n, cells / (1 << LOW_BITS)),
                          true);
}

static void describe_returns(const struct test *test, uint32_t index, char *text, size_t size)
{
    if (test->p[0] == AS_THEY_ARE)
        snprintf(text, size, "words seen before%s (one value in %u is kept)",
                 index ? ", but for their 3 low bits" : "", 1u << THINNING);
    else
        snprintf(text, size, "words seen before, as they are or %s (of those with %d ones)",
                 alike[kind_of(test->p[0])].how, ONES);
}

struct test test_returns(unsigned form)
{
    assert(form < FORMS);
    return (struct test){TEST_FUNCTIONS(returns),
                         .about = "single words come again too often, or too seldom",
                         .unit_log2 = UNIT_LOG2,
                         .keeps = true,
                         .scratch = (UNIT + 1) * sizeof(uint32_t),
                         .p = {form}};
}
