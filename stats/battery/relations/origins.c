// SPDX-License-Identifier: Apache-2.0
// Words that are made of two words far before: is x[n] the exclusive or, the sum or the difference
// of x[n - r] and x[n - s], for any two distances up to 65,536, now and again? At SAMPLES places of
// a unit all pairs that give the word are looked up. By chance that is one pair or so at a place,
// and never the same pair at two places.
// Null: given the words before, a word is uniform. So a pair of distances gives it with the chance
// 2^-32, whatever came earlier, and its count over all places is Binomial(places, 2^-32), exactly.
// Only the pair that came most often needs a figure.
// Source: Knuth, volume 2, 3.2.2 (feedback from two distant values); Wagner,
// doi:10.1007/3-540-45708-9_19 (sums found in lists).
// Parameter: p[0] form: 0 exclusive or, 1 sum, 2 difference.

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "stats/battery/catalogue.h"

enum {
    UNIT_LOG2 = 17,
    UNIT = 1 << UNIT_LOG2,
    REACH = 1 << 16,
    SAMPLES = 8,
    REST = 32 - UNIT_LOG2, // bits of a word that a place in the unit leaves room for
    BUCKETS = 1 << UNIT_LOG2,
    KEPT = 64
};

enum { EXCLUSIVE_OR, SUM, DIFFERENCE };

// Words by their high bits, the rest of each with its place. Those of bucket b lie from first[b] to
// first[b + 1].
struct lookup {
    uint32_t first[BUCKETS + 2], entry[UNIT];
};

static void fill_lookup(const uint32_t *words, struct lookup *by)
{
    memset(by->first, 0, sizeof by->first);
    for (size_t i = 0; i < UNIT; i++)
        by->first[(words[i] >> REST) + 2]++;
    for (size_t b = 2; b < BUCKETS + 2; b++)
        by->first[b] += by->first[b - 1];
    for (size_t i = 0; i < UNIT; i++) // brings first[b + 1] from the begin of a bucket to its end
        by->entry[by->first[(words[i] >> REST) + 1]++] = words[i] << UNIT_LOG2 | (uint32_t)i;
}

static void count_origins(const struct test *test, const uint32_t *words, const struct counts *to)
{
    struct lookup *const by = to->scratch;
    fill_lookup(words, by);
    for (size_t sample = 0; sample < SAMPLES; sample++) {
        // Not all at a multiple of a power of two.
        const size_t n = REACH + sample * (REACH / SAMPLES) + sample * 37 % 64;
        const uint32_t x = words[n];
        unsigned found = 0;
        for (size_t r = 1; r <= REACH && found < KEPT; r++) {
            const uint32_t a = words[n - r], wanted = test->p[0] == EXCLUSIVE_OR ? x ^ a
                                                      : test->p[0] == SUM        ? x - a
                                                                                 : a - x;
            const uint32_t *const end = by->entry + by->first[(wanted >> REST) + 1];
            for (const uint32_t *at = by->entry + by->first[wanted >> REST];
                 at < end && found < KEPT; at++) {
                const size_t place = *at % UNIT, s = n - place;
                if (*at >> UNIT_LOG2 != wanted % (1u << REST) || place >= n || s > REACH ||
                    (test->p[0] == DIFFERENCE ? s == r : s <= r))
                    continue;
                bag_add(to->bag, (r - 1) << 16 | (s - 1));
                found++;
            }
        }
    }
}

static void judge_origins(const struct totals *total, struct judgement *judgement)
{
    const uint64_t pairs =
        (uint64_t)REACH * (REACH - 1) / (total->test->p[0] == DIFFERENCE ? 1 : 2);
    uint32_t index = 1;
    const uint64_t most = bag_commonest(total->bag, 32, judgement->only, &index);
    judgement_enlarge(judgement, pairs - 1);
    judgement_add_rare(judgement, index, most, total->units * SAMPLES, 0x1p-32);
}

static void describe_origins(const struct test *test, uint32_t index, char *text, size_t size)
{
    static const char *const form[] = {"exclusive or", "sum", "difference"};
    snprintf(text, size,
             "words that are the %s of those %u and %u before, among a few that were looked at",
             form[test->p[0]], (unsigned)(index >> 16) + 1, (unsigned)(index & 0xffff) + 1);
}

struct test test_origins(unsigned form)
{
    assert(form < 3);
    return (struct test){TEST_FUNCTIONS(origins),
                         .about = "some words are computed from words far before them",
                         .unit_log2 = UNIT_LOG2,
                         .keeps = true,
                         .scratch = sizeof(struct lookup),
                         .p = {form}};
}
