// SPDX-License-Identifier: Apache-2.0
// Words that depend on a word up to 524,288 before them, whichever of their bits do, and whichever
// way they were turned. Of every word one bit is kept: what most of its bits are (the lowest
// decides between 16 ones and 16 zeros). It is compared with that of every earlier word. A copied
// bit makes 1 % of these bits agree too often, a copied word all, its complement none.
// All lags are counted at once (correlate.c). Those that are DEVIATIONS standard deviations from
// even or more are kept. Each lag is a hypothesis of its own. One byte of each word by itself shows
// a byte or a half that is copied now and then, which moves few of the word's bits.
// Null: exchanging ones and zeros exchanges the values of a word's bit, so it is fair. For each lag
// the differences within a unit are independent fair bits: Binomial(n, 1/2), exactly. For the most
// uneven of several units it is the sum of the chances (Boole's inequality).
// Source: as lags.c, doi:10.1145/1268776.1268777.
// Parameter: p[0] 0 whole words, 1 to 4 one byte, counted from the lowest.

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

#include "stats/kernel/correlate.h"
#include "stats/kernel/kernel.h"
#include "stats/law/null.h"
#include "stats/law/real.h"
#include "stats/battery/catalogue.h"

// Half of a unit looks back at the other half.
enum {
    UNIT_LOG2 = 20,
    UNIT = 1 << UNIT_LOG2,
    LAGS = UNIT / 2,
    PAIRS = UNIT - LAGS,
    DEVIATIONS = 6
};

struct majority {
    uint64_t plane[UNIT / 64];
    union {
        uint8_t ones[UNIT]; // of each word, until the plane is made
        uint32_t together[LAGS + 16];
    };
};

static unsigned distance(unsigned differences)
{
    return 2 * differences > PAIRS ? 2 * differences - PAIRS : PAIRS - 2 * differences;
}

static uint32_t bit_at(const uint64_t *plane, size_t i)
{
    return plane[i / 64] >> i % 64 & 1;
}

static void make_plane(unsigned part, const uint32_t *words, struct majority *by)
{
    const unsigned shift = part ? 8 * (part - 1) : 0, bits = part ? 8 : 32;
    if (part)
        for (size_t i = 0; i < UNIT; i++)
            by->ones[i] = (uint8_t)__builtin_popcount(words[i] >> shift & 0xff);
    else
        kernel_chosen()->popcounts(words, UNIT, by->ones);
    for (size_t i = 0; i < UNIT; i += 64) {
        uint64_t plane = 0;
        for (size_t j = 0; j < 64; j++)
            plane |= (uint64_t)(2u * by->ones[i + j] + (words[i + j] >> shift & 1) > bits) << j;
        by->plane[i / 64] = plane;
    }
}

static void count_echoes(const struct test *test, const uint32_t *words, const struct counts *to)
{
    struct majority *const by = to->scratch;
    make_plane(test->p[0], words, by);
    correlate_bits(by->plane, by->plane, UNIT_LOG2, LAGS, LAGS, by->together, by + 1);
    uint32_t later = 0;
    for (size_t i = LAGS; i < UNIT; i += 64)
        later += (uint32_t)__builtin_popcountll(by->plane[i / 64]);
    uint32_t earlier = later; // ones among those that the later half meets at a lag
    for (size_t lag = 1; lag <= LAGS; lag++) {
        earlier += bit_at(by->plane, LAGS - lag) - bit_at(by->plane, UNIT - lag);
        const unsigned differences = later + earlier - 2 * by->together[lag];
        const uint64_t away = distance(differences);
        if (away * away >= (uint64_t)DEVIATIONS * DEVIATIONS * PAIRS)
            bag_add(to->bag, (uint64_t)lag << UNIT_LOG2 | differences);
    }
}

static void judge_echoes(const struct totals *total, struct judgement *judgement)
{
    struct bag *const bag = total->bag;
    uint64_t lags = 0;
    const size_t kept_lags = bag_sort(bag, 2 * UNIT_LOG2) ? bag->count : 0;
    for (size_t i = 0, next; i < kept_lags; i = next) {
        const uint64_t lag = bag->item[i] >> UNIT_LOG2;
        unsigned farthest = 0, kept = 0;
        for (next = i; next < bag->count && bag->item[next] >> UNIT_LOG2 == lag; next++) {
            const unsigned differences = bag->item[next] & (UNIT - 1);
            if (distance(differences) > farthest) {
                farthest = distance(differences);
                kept = differences;
            }
        }
        if (lag < 1 || lag > LAGS || lags == LAGS)
            continue; // no count of this test, but of a part from elsewhere
        lags++;
        const double log_p = null_binomial_log_upper((PAIRS + farthest) / 2, PAIRS, 0.5) +
                             real_log(2) + real_log((double)total->units);
        judgement_add(judgement, (uint32_t)lag, log_p < 0 ? log_p : 0, kept / (double)PAIRS, 0.5);
    }
    // The other lags have nothing to say, and one that is looked at again without a trace has not
    // either.
    judgement_enlarge(judgement, LAGS - lags);
    if (judgement->only != UINT32_MAX && !judgement->hypotheses)
        judgement_add(judgement, judgement->only, 0, 0.5, 0.5);
}

static void describe_echoes(const struct test *test, uint32_t index, char *text, size_t size)
{
    static const char *const what[] = {"a word", "byte 0", "byte 1", "byte 2", "byte 3"};
    snprintf(text, size,
             "fraction of differences in what most bits of %s are, from the word %" PRIu32
             " words before",
             what[test->p[0]], index);
}

struct test test_echoes(unsigned part)
{
    assert(part <= 4);
    return (struct test){
        TEST_FUNCTIONS(echoes), .about = "words depend on words far before them",
        .unit_log2 = UNIT_LOG2, .scratch = sizeof(struct majority) + correlate_scratch(UNIT_LOG2),
        .keeps = true,          .p = {part}};
}
