// SPDX-License-Identifier: Apache-2.0
// What stands beside two equal words: where a word comes again within a unit, its neighbours there
// are compared with its neighbours here. A generator that makes its next word from the last one, or
// from few, gives itself away, whatever function it uses.
// Null: given that words i and j are equal, those around them are independent and uniform. A
// difference of two of them falls within 2^16 of zero, modulo 2^32, with the chance (2^17 - 1) /
// 2^32: binomial. Pairs whose neighbourhoods overlap are left out.
//
// How far apart they are is kept as well: a word that comes again from a buffer, a cache or a lane
// always does so at the same distance, however seldom. Each distance is a hypothesis of its own.
// Null: word i equals word i - d with the chance 2^-32, whatever came before. So the pairs at any
// one distance are Binomial(n, 2^-32) at most (of three equal words two pairs are counted).
// Source: an application of the birthday test, Knuth, volume 2, 3.3.2 J; the idea of return maps,
// doi:10.1103/PhysRevA.33.1134.
// Parameters: none.

#include <stdio.h>

#include "stats/kernel/repeats.h"
#include "stats/kernel/sort.h"
#include "stats/battery/catalogue.h"

enum { UNIT_LOG2 = 20, AROUND = 3, NEAR = 1 << 16, MOST = 4096 };

// Each is a linear form of the six neighbours: coefficients of i - 3, i - 2, i - 1, i + 1, i + 2, i
// + 3.
static const struct {
    signed char by[2 * AROUND];
    const char *what;
} form[] = {
    {{0, 0, 0, 1, 0, 0}, "the next word"},
    {{0, 0, 0, 0, 1, 0}, "the next word but one"},
    {{0, 0, 1, 0, 0, 0}, "the word before"},
    {{0, 0, 1, 1, 0, 0}, "the sum of the words on either side"},
    {{0, 0, 1, -1, 0, 0}, "the difference of the words on either side"},
    {{0, 0, 0, 1, 1, 0}, "the sum of the next two words"},
    {{0, 0, 0, 1, -1, 0}, "the difference of the next two words"},
    {{0, 0, 0, 0, 0, 1}, "the third word on"},
    {{0, 1, 0, 0, 1, 0}, "the sum of the words two away"},
    {{0, 1, 0, 0, -1, 0}, "the difference of the words two away"},
};
enum { FORMS = sizeof form / sizeof *form };

static void count_followers(const struct test *test, const uint32_t *words, const struct counts *to)
{
    const size_t n = (size_t)1 << test->unit_log2;
    uint64_t *const key = to->scratch;
    for (size_t i = AROUND; i + AROUND < n; i++)
        key[i - AROUND] = (uint64_t)i << 32 | words[i];
    const size_t kept = repeats_sieve_low(key, n - 2 * AROUND, (unsigned char *)(key + n));
    sort_u64(key, key + n, kept, 32); // equal words stay in the order of their places
    size_t pairs = 0;
    for (size_t k = 1; k < kept && pairs < MOST; k++) {
        const size_t i = key[k - 1] >> 32, j = key[k] >> 32;
        if ((uint32_t)key[k - 1] != (uint32_t)key[k] || j - i <= 2 * AROUND)
            continue;
        pairs++;
        bag_add(to->bag, j - i);
        for (unsigned f = 0; f < FORMS; f++) {
            uint32_t sum = 0;
            for (unsigned a = 0; a < 2 * AROUND; a++) {
                const ptrdiff_t at = (ptrdiff_t)a - AROUND + (a >= AROUND);
                sum +=
                    (uint32_t)form[f].by[a] * (words[(ptrdiff_t)j + at] - words[(ptrdiff_t)i + at]);
            }
            to->count[1 + f] += sum < NEAR || sum > UINT32_MAX - NEAR + 1;
        }
    }
    to->count[0] += pairs;
}

static void judge_followers(const struct totals *total, struct judgement *judgement)
{
    for (unsigned f = 0; f < FORMS; f++)
        judgement_add_rare(judgement, f, total->count[1 + f], total->count[0],
                           (2.0 * NEAR - 1) / 4294967296.0);
    if (judgement->only < FORMS)
        return;
    uint32_t apart = 0;
    const uint32_t only = judgement->only == UINT32_MAX ? UINT32_MAX : judgement->only - FORMS;
    const uint64_t most = bag_commonest(total->bag, UNIT_LOG2, only, &apart);
    judgement_enlarge(judgement, ((uint64_t)1 << UNIT_LOG2) - 1);
    judgement_add_rare(judgement, FORMS + apart, most, total->units << total->test->unit_log2,
                       0x1p-32);
}

static void describe_followers(const struct test *test, uint32_t index, char *text, size_t size)
{
    (void)test;
    if (index < FORMS)
        snprintf(text, size, "pairs of equal words beside which %s is nearly the same",
                 form[index].what);
    else
        snprintf(text, size, "words equal to the one %u words before", (unsigned)index - FORMS);
}

struct test test_followers(void)
{
    return (struct test){TEST_FUNCTIONS(followers),
                         .about = "a word follows from those before it",
                         .unit_log2 = UNIT_LOG2,
                         .counts = 1 + FORMS,
                         .keeps = true,
                         .scratch = (sizeof(uint64_t) * 2) << UNIT_LOG2};
}
