// SPDX-License-Identifier: Apache-2.0
// Words that are made of one of the four words before them and of one far before: is x[n] the
// exclusive or, the sum or the difference of x[n - r], r up to 4, and of x[n - s], s up to 65,536,
// now and then? Where `origins` looks at all pairs of distances from a few places, this looks from
// every place: a relation that holds once in 2^15 words is seen.
// Null: given the words before, x[n] is uniform. So each of the relations holds with the chance
// 2^-32, whatever came earlier, and its count over all places is Binomial(places, 2^-32), exactly.
// Only the relation that was met most often needs a figure.
// Source: as origins.c, doi:10.1007/3-540-45708-9_19.

#include <stdio.h>
#include <string.h>

#include "stats/battery/catalogue.h"

enum {
    UNIT_LOG2 = 17,
    UNIT = 1 << UNIT_LOG2,
    REACH = 1 << 16,
    NEAREST = 4,
    FORMS = 4,
    KEPT = 4096
};
enum { BUCKETS = 1 << 17, FILTER_LOG2 = 22 };

struct lookup {
    uint64_t filter[(1 << FILTER_LOG2) / 64]; // whether a word has these high bits
    uint32_t start[BUCKETS + 1], fill[BUCKETS], place[UNIT];
};

static void index_words(struct lookup *by, const uint32_t *words)
{
    memset(by->filter, 0, sizeof by->filter);
    memset(by->start, 0, sizeof by->start);
    for (size_t i = 0; i < UNIT; i++) {
        const uint32_t bit = words[i] >> (32 - FILTER_LOG2);
        by->filter[bit / 64] |= UINT64_C(1) << bit % 64;
        by->start[(words[i] >> 15) + 1]++;
    }
    for (size_t b = 0; b < BUCKETS; b++) {
        by->start[b + 1] += by->start[b];
        by->fill[b] = by->start[b];
    }
    for (size_t i = 0; i < UNIT; i++)
        by->place[by->fill[words[i] >> 15]++] = (uint32_t)i;
}

// Enters the distances s > r at which `wanted` stands before place n.
static unsigned enter(const struct lookup *by, const uint32_t *words, size_t n, uint32_t wanted,
                      unsigned form, unsigned r, const struct counts *to)
{
    unsigned found = 0;
    const uint32_t *const end = by->place + by->start[(wanted >> 15) + 1];
    for (const uint32_t *at = by->place + by->start[wanted >> 15]; at < end && *at + r < n; at++)
        if (words[*at] == wanted && n - *at <= REACH) {
            bag_add(to->bag, (uint64_t)(form * NEAREST + r - 1) << 16 | (n - *at - 1));
            found++;
        }
    return found;
}

static void count_descent(const struct test *test, const uint32_t *words, const struct counts *to)
{
    (void)test;
    struct lookup *const by = to->scratch;
    index_words(by, words);
    unsigned found = 0;
    for (size_t n = REACH; n < UNIT; n++)
        for (unsigned r = 1; r <= NEAREST; r++) {
            const uint32_t x = words[n], a = words[n - r],
                           wanted[FORMS] = {x ^ a, x - a, a - x, x + a};
            for (unsigned form = 0; form < FORMS; form++) {
                const uint32_t bit = wanted[form] >> (32 - FILTER_LOG2);
                // A source that is constant does not fill the memory.
                if (by->filter[bit / 64] >> bit % 64 & 1 && found < KEPT)
                    found += enter(by, words, n, wanted[form], form, r, to);
            }
        }
}

static void judge_descent(const struct totals *total, struct judgement *judgement)
{
    const uint64_t distances =
        NEAREST * (uint64_t)REACH - NEAREST * (NEAREST + 1) / 2; // r < s <= REACH
    uint32_t index = 1;
    const uint64_t most = bag_commonest(total->bag, 20, judgement->only, &index);
    judgement_enlarge(judgement, FORMS * distances - 1);
    judgement_add_rare(judgement, index, most, total->units * (UNIT - REACH), 0x1p-32);
}

static void describe_descent(const struct test *test, uint32_t index, char *text, size_t size)
{
    (void)test;
    static const char *const form[FORMS] = {"the exclusive or of those", "the sum of those",
                                            "the nearer less the farther of those",
                                            "the farther less the nearer of those"};
    snprintf(text, size, "words that are %s %u and %u before", form[index >> 18],
             (unsigned)(index >> 16) % NEAREST + 1, (unsigned)(index & 0xffff) + 1);
}

struct test test_descent(void)
{
    return (struct test){TEST_FUNCTIONS(descent),
                         .about = "some words are computed from the words before them",
                         .unit_log2 = UNIT_LOG2, .keeps = true, .scratch = sizeof(struct lookup)};
}
