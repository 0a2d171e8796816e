// SPDX-License-Identifier: Apache-2.0
// Tests that are kept for diversity: the order of consecutive words, lengths of rising and falling
// runs, the coupon collector, poker hands, and the maximum of a random walk.
// Nulls, all exact but for ties of 32-bit words (2^-32 each): orders are equally likely; r words in
// a row rise with probability 1 / r!; coupons by Stirling numbers; hands by Stirling numbers; the
// maximum of a walk by reflection.
// Sources: Knuth, volume 2, 3.3.2 E, G, F and P; Greenwood 1955, doi:10.2307/2002035; Feller,
// volume 1, III.

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "stats/law/null.h"
#include "stats/law/real.h"
#include "stats/battery/catalogue.h"
#include "stats/kernel/kernel.h"

enum {
    UNIT_LOG2 = 16,
    ORDERS_MAX = 6,
    RUN_MAX = 12,
    RUN_LENGTHS = RUN_MAX - 1,
    RUNS = 9 << 11,
    COUPON_CELLS = 200,
    HAND_MAX = 16,
    WALK = 64
};

static const size_t unit = (size_t)1 << UNIT_LOG2;

// p[0] words (at most 6), p[1] stride.
static void count_orders(const struct test *test, const uint32_t *words, const struct counts *to)
{
    const unsigned length = test->p[0], stride = test->p[1];
    const size_t step = (size_t)length * stride;
    for (size_t i = 0; i + step <= unit; i += step) {
        uint32_t code = 0; // Lehmer code: how many later words are smaller
        for (unsigned a = 0; a < length; a++) {
            uint32_t smaller = 0;
            for (unsigned b = a + 1; b < length; b++)
                smaller += words[i + b * stride] < words[i + a * stride];
            code = code * (length - a) + smaller;
        }
        to->count[code]++;
    }
}

static void judge_uniform(const struct totals *total, struct judgement *judgement)
{
    judgement_add_cells(judgement, 0, total->count, NULL, total->test->counts, 25);
    uint64_t n = 0;
    for (unsigned c = 0; c < total->test->counts; c++)
        n += total->count[c];
    for (unsigned c = 0; c < total->test->counts; c++)
        judgement_add_binomial(judgement, 1 + c, total->count[c], n, 1.0 / total->test->counts);
}

static void describe_orders(const struct test *test, uint32_t index, char *text, size_t size)
{
    if (index)
        snprintf(text, size, "occurrences of order %u of %u words, %u apart", (unsigned)index - 1,
                 test->p[0], test->p[1]);
    else
        snprintf(text, size, "chi-square of the order of %u words, %u apart", test->p[0],
                 test->p[1]);
}

struct test test_orders(unsigned words, unsigned stride)
{
    assert(words >= 2 && words <= ORDERS_MAX && stride >= 1);
    unsigned cells = 1;
    for (unsigned i = 2; i <= words; i++)
        cells *= i;
    return (struct test){.name = "orders",
                         .about = "consecutive words favour an order, such as rising",
                         .unit_log2 = UNIT_LOG2,
                         .counts = cells,
                         .count = count_orders,
                         .judge = judge_uniform,
                         .describe = describe_orders,
                         .p = {words, stride}};
}

// p[0] log2 of the stride. A run goes the way of its first two words, and the word that breaks it
// is left out: runs are independent, and one of r! is a rising one of r or more words. A unit
// counts RUNS of them; its words are too few with a chance below e^-140 (Bernstein: a run
// takes 3.437 words, variance 0.5).
static void count_ascents(const struct test *test, const uint32_t *words, const struct counts *to)
{
    const unsigned log2 = test->p[0];
    const uint32_t every = log2 ? 0x55555555 : UINT32_MAX; // comparisons from one on
    uint8_t *const rises = to->scratch;
    memset(rises + (unit << log2) / 8, 0, sizeof(uint32_t));
    kernel_chosen()->rises(words, unit << log2, (size_t)1 << log2, rises);
    unsigned runs = 0;
    for (size_t i = 0; i + RUN_MAX + 1 < unit && runs < RUNS; runs++) {
        const size_t at = (i << log2) + ((size_t)1 << log2) - 1; // the last word of a stride
        const uint8_t *const byte = &rises[at / 8];
        const uint32_t from = ((uint32_t)byte[0] | (uint32_t)byte[1] << 8 |
                               (uint32_t)byte[2] << 16 | (uint32_t)byte[3] << 24) >>
                              at % 8,
                       up = from & 1;
        // Bit m: whether comparison m, or the last of a run, goes the other way.
        const uint32_t turns = ((from ^ (0 - up)) & every) | 1u << (RUN_LENGTHS << log2);
        const unsigned length = ((unsigned)__builtin_ctz(turns) >> log2) + 1;
        to->count[up * RUN_LENGTHS + length - 2]++;
        i += length + 1;
    }
}

// Hypothesis up * RUN_LENGTHS + r - 1: runs of r or more words.
static void judge_ascents(const struct totals *total, struct judgement *judgement)
{
    double probability[2 * RUN_LENGTHS], at_least[RUN_MAX + 2] = {[2] = 0.5};
    uint64_t longer[2] = {0}, n = 0;
    for (unsigned r = 3; r <= RUN_MAX; r++)
        at_least[r] = at_least[r - 1] / r;
    for (unsigned c = 0; c < 2 * RUN_LENGTHS; c++) {
        const unsigned r = c % RUN_LENGTHS + 2;
        probability[c] = at_least[r] - at_least[r + 1];
        n += total->count[c];
    }
    for (unsigned r = RUN_MAX; r > 2; r--)
        for (unsigned up = 0; up < 2; up++) {
            const unsigned cell = up * RUN_LENGTHS + r - 2;
            longer[up] += total->count[cell];
            judgement_add_rare(judgement, cell + 1, longer[up], n, at_least[r]);
        }
    judgement_add_cells(judgement, 0, total->count, probability, 2 * RUN_LENGTHS, 100);
}

static void describe_ascents(const struct test *test, uint32_t index, char *text, size_t size)
{
    const char *const words = test->p[0] ? "every second word" : "words";
    if (index)
        snprintf(text, size, "%s runs of %u or more of %s",
                 index > RUN_LENGTHS ? "rising" : "falling",
                 (unsigned)(index - 1) % RUN_LENGTHS + 2, words);
    else
        snprintf(text, size, "chi-square of lengths of rising and falling runs of %s", words);
}

struct test test_ascents(unsigned stride_log2)
{
    return (struct test){TEST_FUNCTIONS(ascents),
                         .about = "words rise or fall for too long or too short",
                         .unit_log2 = UNIT_LOG2 + stride_log2,
                         .counts = 2 * RUN_LENGTHS,
                         .p = {stride_log2},
                         .scratch = (unit << stride_log2) / 8 + sizeof(uint32_t)};
}

// p[0] bits of a coupon (2 to 4), p[1] shift. Collections that reach COUPON_CELLS draws stop there
// and share its cell; none is begun that could not be finished in the unit.
static void count_coupons(const struct test *test, const uint32_t *words, const struct counts *to)
{
    const unsigned bits = test->p[0], shift = test->p[1];
    const uint32_t mask = (1u << bits) - 1, all = bits == 5 ? UINT32_MAX : (1u << (1u << bits)) - 1;
    for (size_t i = 0; i + COUPON_CELLS < unit;) {
        uint32_t have = 0;
        unsigned draws = 0;
        while (have != all && draws < COUPON_CELLS - 1)
            have |= 1u << (words[i + draws++] >> shift & mask);
        to->count[have == all ? draws : COUPON_CELLS - 1]++;
        i += draws;
    }
}

static void judge_coupons(const struct totals *total, struct judgement *judgement)
{
    const unsigned kinds = 1u << total->test->p[0];
    double have[17] = {1}, probability[COUPON_CELLS] = {0}, left = 1;
    for (unsigned draw = 1; draw < COUPON_CELLS - 1; draw++) {
        double next[17] = {0};
        for (unsigned k = 0; k < kinds; k++) {
            next[k] += have[k] * k / kinds;
            next[k + 1] += have[k] * (kinds - k) / kinds;
        }
        probability[draw] = next[kinds];
        left -= next[kinds];
        next[kinds] = 0;
        for (unsigned k = 0; k <= kinds; k++)
            have[k] = next[k];
    }
    probability[COUPON_CELLS - 1] = left > 0 ? left : 0;
    judgement_add_cells(judgement, 0, total->count, probability, COUPON_CELLS, 100);
}

static void describe_coupons(const struct test *test, uint32_t index, char *text, size_t size)
{
    (void)index;
    snprintf(text, size, "chi-square of draws until all values of bits %u to %u have come",
             test->p[1], test->p[1] + test->p[0] - 1);
}

struct test test_coupons(unsigned bits, unsigned shift)
{
    assert(bits >= 2 && bits <= 4 && bits + shift <= 32);
    return (struct test){TEST_FUNCTIONS(coupons), .about = "values are missing for too long",
                         .unit_log2 = UNIT_LOG2, .counts = COUPON_CELLS, .p = {bits, shift}};
}

// Different values among p[2] draws of p[1] bits from bit p[0] up: a design that deals each value
// in turn (stratified, a Latin hypercube) has too many.
static void count_poker(const struct test *test, const uint32_t *words, const struct counts *to)
{
    const unsigned mask = (1u << test->p[1]) - 1, hand = test->p[2];
    for (size_t i = 0; i < unit; i += hand) {
        unsigned have = 0;
        for (unsigned j = 0; j < hand; j++)
            have |= 1u << (words[i + j] >> test->p[0] & mask);
        to->count[__builtin_popcount(have)]++;
    }
}

static void judge_poker(const struct totals *total, struct judgement *judgement)
{
    const unsigned hand = total->test->p[2];
    const double values = 1u << total->test->p[1];
    double have[HAND_MAX + 2] = {1};
    for (unsigned draw = 0; draw < hand; draw++)
        for (unsigned k = hand + 1; k-- > 0;)
            have[k] = have[k] * k / values +
                      (k && k <= values ? have[k - 1] * (values + 1 - k) / values : 0);
    judgement_add_cells(judgement, 0, total->count, have, hand + 1, 100);
}

static void describe_poker(const struct test *test, uint32_t index, char *text, size_t size)
{
    (void)index;
    snprintf(text, size, "chi-square of different values among %u draws of bits %u to %u",
             test->p[2], test->p[0], test->p[0] + test->p[1] - 1);
}

struct test test_poker(unsigned shift, unsigned bits, unsigned hand)
{
    assert(bits <= 4 && bits + shift <= 32 && hand <= HAND_MAX && (hand & (hand - 1)) == 0);
    return (struct test){TEST_FUNCTIONS(poker),
                         .about = "draws agree with each other too often or too seldom",
                         .unit_log2 = UNIT_LOG2, .counts = HAND_MAX + 1, .p = {shift, bits, hand}};
}

// The highest point of a walk of 64 steps of one bit each, low bits first.
static void count_walk(const struct test *test, const uint32_t *words, const struct counts *to)
{
    (void)test;
    signed char end[256], high[256];
    for (int byte = 0; byte < 256; byte++) {
        int at = 0, top = 0;
        for (int s = 0; s < 8; s++) {
            at += (byte >> s & 1) * 2 - 1;
            top = at > top ? at : top;
        }
        end[byte] = (signed char)at;
        high[byte] = (signed char)top;
    }
    for (size_t i = 0; i < unit; i += 2) {
        uint64_t steps = words[i] | (uint64_t)words[i + 1] << 32;
        int at = 0, top = 0;
        for (unsigned s = 0; s < WALK; s += 8, steps >>= 8) {
            const int reach = at + high[steps & 255];
            top = reach > top ? reach : top;
            at += end[steps & 255];
        }
        to->count[top]++;
    }
}

static void judge_walk(const struct totals *total, struct judgement *judgement)
{
    double probability[WALK + 1]; // P(top = m) = max(P(S = m), P(S = m + 1)): the one with the
                                  // parity of 64
    for (unsigned m = 0; m <= WALK; m++)
        probability[m] = real_exp(null_binomial_log_mass((WALK + m + m % 2) / 2, WALK, 0.5));
    judgement_add_cells(judgement, 0, total->count, probability, WALK + 1, 100);
}

static void describe_walk(const struct test *test, uint32_t index, char *text, size_t size)
{
    (void)test, (void)index;
    snprintf(text, size, "chi-square of the highest point of walks of 64 bits");
}

struct test test_walk(void)
{
    return (struct test){TEST_FUNCTIONS(walk),
                         .about = "sums of bits wander too far or not far enough",
                         .unit_log2 = UNIT_LOG2, .counts = WALK + 1};
}
