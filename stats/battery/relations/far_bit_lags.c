// SPDX-License-Identifier: Apache-2.0
// One bit of a word against the same bit of every earlier word up to 12.5 million before: a
// recurrence or an echo beyond the lags of bit_lags.c. 2^22 words look back at the 3 * 2^22 before
// them, so that 64 MiB make one comparison; all lags are counted at once (correlate.c). Lags that
// are DEVIATIONS standard deviations from even or more are kept. From FIRST_GROUP on the bit is
// what most of nine neighbours are, which follows each of them (correlation 35 / 128), so that four
// rows see all bits that are copied often. Null: for each lag the differences of a comparison are
// independent fair bits: Binomial(n, 1/2), exactly. Of the comparisons of one lag each has its
// share of the chance (Boole's inequality). Source: as lags.c, doi:10.1145/1268776.1268777.
// Parameter: p[0] bit; or 32 plus the lowest of nine.

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "stats/kernel/correlate.h"
#include "stats/law/null.h"
#include "stats/law/real.h"
#include "stats/battery/catalogue.h"

enum {
    UNIT_LOG2 = 16,
    PIECE = 32,
    SEGMENT_LOG2 = 22,
    SEGMENT = 1 << SEGMENT_LOG2,
    SEGMENTS = 4, // the last one looks back at the others
    LAGS = (SEGMENTS - 1) * SEGMENT,
    PIECES = SEGMENTS * (SEGMENT / PIECE), // of a comparison
    DEVIATIONS = 6,
    FIRST_GROUP = 32,
    GROUP = 9
};

static unsigned bit_of(uint32_t word, unsigned which)
{
    if (which < FIRST_GROUP)
        return word >> which & 1;
    const uint32_t group = word >> (which - FIRST_GROUP) & ((1u << GROUP) - 1);
    return __builtin_popcount(group) > GROUP / 2;
}

static void count_far_bit_lags(const struct test *test, const uint32_t *words,
                               const struct counts *to)
{
    for (size_t i = 0; i < 1 << UNIT_LOG2; i += PIECE) {
        uint64_t piece = 0;
        for (size_t j = 0; j < PIECE; j++)
            piece |= (uint64_t)bit_of(words[i + j], test->p[0]) << j;
        bag_add(to->bag, (to->unit << UNIT_LOG2 | i) / PIECE << PIECE | piece);
    }
}

static unsigned bit_at(const uint64_t *bit, size_t at)
{
    return bit[at / 64] >> at % 64 & 1;
}

struct comparison {
    const uint64_t *bit;  // SEGMENTS of them
    uint64_t comparisons; // of all
    uint32_t *together;
    void *scratch;
};

static void add_lag(const struct comparison *of, size_t lag, unsigned differences,
                    struct judgement *judgement)
{
    const uint64_t away = 2 * differences > SEGMENT ? 2 * (uint64_t)differences - SEGMENT
                                                    : SEGMENT - 2 * (uint64_t)differences;
    const double log_p = null_binomial_log_upper((SEGMENT + away) / 2, SEGMENT, 0.5) + real_log(2) +
                         real_log((double)of->comparisons);
    judgement_add(judgement, (uint32_t)lag, log_p < 0 ? log_p : 0, differences / (double)SEGMENT,
                  0.5);
}

static void add_one_lag(const struct comparison *of, size_t lag, struct judgement *judgement)
{
    unsigned differences = 0;
    for (size_t i = LAGS; i < LAGS + SEGMENT; i++)
        differences += bit_at(of->bit, i) ^ bit_at(of->bit, i - lag);
    add_lag(of, lag, differences, judgement);
}

// Lags beyond `shift` segments, as many as a segment has; returns how many were added.
static uint64_t add_far_lags(const struct comparison *of, size_t shift, struct judgement *judgement)
{
    const uint64_t *const bit = of->bit + (SEGMENTS - 2) * (size_t)SEGMENT / 64, *const earlier =
                                                                                     bit -
                                                                                     shift *
                                                                                         SEGMENT /
                                                                                         64;
    uint64_t added = 0;
    unsigned ones = 0; // of both sequences
    correlate_bits(bit, earlier, SEGMENT_LOG2 + 1, SEGMENT, SEGMENT, of->together, of->scratch);
    for (size_t i = SEGMENT; i < 2 * (size_t)SEGMENT; i++)
        ones += bit_at(bit, i) + bit_at(earlier, i);
    for (size_t lag = 1; lag <= SEGMENT; lag++) {
        ones += bit_at(earlier, SEGMENT - lag) - bit_at(earlier, 2 * (size_t)SEGMENT - lag);
        const unsigned differences = ones - 2 * of->together[lag];
        const int64_t away = 2 * (int64_t)differences - SEGMENT;
        if (away * away < (int64_t)DEVIATIONS * DEVIATIONS * SEGMENT)
            continue;
        add_lag(of, shift * SEGMENT + lag, differences, judgement);
        added++;
    }
    return added;
}

static void compare(struct comparison *of, const uint64_t *item, struct judgement *judgement)
{
    uint64_t *const bit = calloc(PIECES / 2, sizeof *bit);
    of->together = malloc((SEGMENT + 16) * sizeof *of->together);
    of->scratch = malloc(correlate_scratch(SEGMENT_LOG2 + 1));
    of->bit = bit;
    uint64_t added = 0;
    for (size_t i = 0; bit && i < PIECES; i++)
        bit[i / 2] |= (item[i] & UINT32_MAX) << i % 2 * PIECE;
    if (bit && judgement->only != UINT32_MAX)
        add_one_lag(of, judgement->only, judgement);
    else
        for (size_t shift = 0; bit && of->together && of->scratch && shift + 1 < SEGMENTS; shift++)
            added += add_far_lags(of, shift, judgement);
    judgement_enlarge(judgement, LAGS - added);
    free(bit);
    free(of->together);
    free(of->scratch);
}

// Whether the pieces are all there, in order: a part from elsewhere may hold others.
static bool is_whole(const uint64_t *item, uint64_t first)
{
    for (uint64_t i = 0; i < PIECES; i++)
        if (item[i] >> PIECE != first + i)
            return false;
    return true;
}

static void judge_far_bit_lags(const struct totals *total, struct judgement *judgement)
{
    struct bag *const bag = total->bag;
    const bool one = judgement->only != UINT32_MAX;
    const uint64_t comparisons = (total->units << UNIT_LOG2) / (SEGMENTS * (uint64_t)SEGMENT);
    struct comparison of = {.comparisons = comparisons};
    if (!judgement->weighing && comparisons && bag_sort(bag, 64))
        for (uint64_t c = 0; c < comparisons && (c + 1) * PIECES <= bag->count; c++)
            if (is_whole(bag->item + c * PIECES, c * PIECES))
                compare(&of, bag->item + c * PIECES, judgement);
    if (!judgement->hypotheses) {
        judgement_enlarge(judgement, LAGS);
        if (one)
            judgement_add(judgement, judgement->only, 0, 0.5, 0.5);
    }
}

static void describe_far_bit_lags(const struct test *test, uint32_t index, char *text, size_t size)
{
    char what[64];
    if (test->p[0] < FIRST_GROUP)
        snprintf(what, sizeof what, "at bit %u", test->p[0]);
    else
        snprintf(what, sizeof what, "of what most of bits %u to %u are", test->p[0] - FIRST_GROUP,
                 test->p[0] - FIRST_GROUP + GROUP - 1);
    snprintf(text, size, "fraction of differences %s from the word %" PRIu32 " words before", what,
             index);
}

struct test test_far_bit_lags(unsigned bit)
{
    assert(bit <= FIRST_GROUP + 32 - GROUP);
    return (struct test){.name = bit < FIRST_GROUP ? "far_bit_lags" : "far_most_lags",
                         .count = count_far_bit_lags,
                         .judge = judge_far_bit_lags,
                         .describe = describe_far_bit_lags,
                         .about = "words depend on words far before them",
                         .unit_log2 = UNIT_LOG2,
                         .keeps = true,
                         .p = {bit}};
}
