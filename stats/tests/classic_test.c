// SPDX-License-Identifier: Apache-2.0
// The laws of the tests kept for diversity, against enumeration: counts in the exact proportions of
// all outcomes leave no doubt (log p is 0), and with a tenth of the likeliest outcome moved to the
// cell beside it they leave none either.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "stats/battery/catalogue.h"

enum { CELLS_MAX = 256 };

static double log_p_of(const struct test *test, const uint64_t *count)
{
    struct bag bag = {0};
    struct judgement judgement;
    judgement_begin(&judgement, UINT32_MAX);
    test->judge(&(struct totals){test, count, &bag, 1}, &judgement);
    return judgement_log_p(&judgement);
}

// Counts in exact proportion; as many draws as keep the cells that are judged fewer than 64, where
// too even is wrong too.
static void assert_law(const struct test *test, uint64_t *count)
{
    assert_true(log_p_of(test, count) > -1e-9);
    unsigned likely = 0;
    for (unsigned c = 0; c < test->counts; c++)
        likely = count[c] > count[likely] ? c : likely;
    const uint64_t moved = count[likely] / 10;
    count[likely] -= moved;
    count[likely ? likely - 1 : 1] += moved;
    assert_true(log_p_of(test, count) < -20);
}

static void assert_chances(const struct test *test, const double *chance, double draws)
{
    uint64_t count[CELLS_MAX];
    for (unsigned c = 0; c < test->counts; c++)
        count[c] = (uint64_t)llround(chance[c] * draws);
    assert_law(test, count);
}

enum { RUN_LENGTHS = 11 }; // from 2 to 12 words, first of falling runs

// Of all orders of nine words: how long the first run is, and whether it rises.
static void runs_are_those_of_all_orders(void **state)
{
    (void)state;
    enum { N = 9 };
    uint64_t count[CELLS_MAX] = {0};
    unsigned order[N], at[N] = {0};
    for (unsigned i = 0; i < N; i++)
        order[i] = i;
    for (unsigned i = 0;;) { // Heap's algorithm
        if (!i) {
            const bool up = order[1] > order[0];
            unsigned length = 2;
            while (length < N && (order[length] > order[length - 1]) == up)
                length++;
            count[up * RUN_LENGTHS + length - 2] += 100;
        }
        while (i < N && at[i] >= i)
            at[i++] = 0;
        if (i == N)
            break;
        const unsigned other = i & 1 ? at[i] : 0, kept = order[other];
        order[other] = order[i];
        order[i] = kept;
        at[i]++;
        i = 0;
    }
    const struct test test = test_ascents(0);
    assert_int_equal(count[RUN_LENGTHS], 100 * 362880 / 3);
    assert_law(&test, count);
}

// Words 9, 5, 2, 7 | 8, 1, 3 | ...: a falling run and the word that breaks it, and so on.
static void runs_end_with_the_word_that_breaks_them(void **state)
{
    (void)state;
    static const uint32_t some[] = {9, 5, 2, 7, 8, 1, 3, 4, 5, 6, 7, 0};
    static uint32_t words[1 << 16];
    uint64_t count[CELLS_MAX] = {0};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        words[i] = some[i % 12]; // 12 words: falling 3, falling 2, rising 4 and its breaker
    static uint64_t scratch[1 << 12];
    const struct test test = test_ascents(0);
    assert_true(test.scratch <= sizeof scratch);
    test.count(&test, words, &(struct counts){count, NULL, scratch, 0, 0});
    assert_int_equal(count[1], 5461); // none is begun in the last 13 words of the unit
    assert_int_equal(count[0], 5460);
    assert_int_equal(count[RUN_LENGTHS + 2], 5460);
}

// Longer runs than any table of a hundred would show: three of twelve words in 18,432 runs.
static void a_few_long_runs_stand_out(void **state)
{
    (void)state;
    uint64_t count[CELLS_MAX] = {0};
    double factorial = 2;
    for (unsigned r = 2; r < 9; r++, factorial *= r)
        count[r - 2] = count[RUN_LENGTHS + r - 2] = (uint64_t)(18432 / factorial * r / (r + 1));
    const struct test test = test_ascents(0);
    assert_true(log_p_of(&test, count) > -1);
    count[RUN_LENGTHS - 1] = 3;
    assert_true(log_p_of(&test, count) < -25);
}

// Longest runs of ones, then of zeros, from 0 to 64 bits (all longer ones too).
enum { LENGTHS = 65, SHORTEST = 16, BLOCK_BITS = 2048 };

// Runs of ones and of zeros that lie in a word, go across words, end the block and leave it.
static void longest_runs_are_counted_by_block(void **state)
{
    (void)state;
    static const struct {
        unsigned from, length, ones, zeros;
    } run[] = {{5, 16, 16, 0},   {16, 16, 16, 0},   {20, 40, 40, 0},     {31, 17, 17, 0},
               {0, 300, 64, 0},  {2032, 16, 16, 0}, {2040, 32, 24, 0},   {1000, 15, 0, 0},
               {2040, 20, 0, 0}, {4080, 16, 0, 16}, {2048, 2048, 0, 64}, {3000, 33, 0, 33}};
    static uint32_t words[1 << 16];
    const struct test test = test_bit_runs();
    for (unsigned r = 0; r < sizeof run / sizeof *run; r++) {
        uint64_t count[CELLS_MAX] = {0};
        for (size_t i = 0; i < sizeof words / sizeof *words; i++)
            words[i] = 0x99999999;
        for (unsigned i = run[r].from; i < run[r].from + run[r].length; i++)
            words[i / 32] = (words[i / 32] & ~(1u << i % 32)) | (run[r].zeros ? 0u : 1u) << i % 32;
        // What lies beside it is the other bit, and so is not one of its own.
        const unsigned beside[] = {run[r].from - 1, run[r].from + run[r].length};
        for (unsigned i = 0; i < 2; i++)
            if (beside[i] < BLOCK_BITS * 3)
                words[beside[i] / 32] = (words[beside[i] / 32] & ~(1u << beside[i] % 32)) |
                                        (run[r].zeros ? 1u : 0u) << beside[i] % 32;
        test.count(&test, words, &(struct counts){count, NULL, NULL, 0, 0});
        for (unsigned k = SHORTEST; k < LENGTHS; k++) {
            assert_int_equal(count[k], run[r].ones == k);
            assert_int_equal(count[LENGTHS + k], run[r].zeros == k);
        }
    }
}

// The chance of a longest run, from that of being k ones after a zero, a bit at a time.
static void longest_runs_have_their_chances(void **state)
{
    (void)state;
    const struct test test = test_bit_runs();
    const uint64_t units = 1 << 20, blocks = units << 10;
    uint64_t count[CELLS_MAX] = {0}, longer = 0;
    for (unsigned k = 40; k >= SHORTEST; k--) {
        double at[64] = {1}, next[64];
        for (unsigned bit = 0; bit < BLOCK_BITS; bit++) {
            next[0] = 0;
            for (unsigned run = 0; run < k; run++) {
                next[0] += at[run] / 2;
                next[run + 1] = at[run] / 2;
            }
            memcpy(at, next, k * sizeof *at);
        }
        double none = 0;
        for (unsigned run = 0; run < k; run++)
            none += at[run];
        count[k] = count[LENGTHS + k] = (uint64_t)llround((1 - none) * (double)blocks) - longer;
        longer += count[k];
    }
    struct judgement judgement;
    const struct totals total = {&test, count, NULL, units};
    judgement_begin(&judgement, UINT32_MAX);
    test.judge(&total, &judgement);
    assert_true(judgement_log_p(&judgement) > -1e-9);
    count[18] += count[18] / 50;
    judgement_begin(&judgement, UINT32_MAX);
    test.judge(&total, &judgement);
    assert_true(judgement_log_p(&judgement) < -20);
}

// Chance that four kinds are whole at draw d: all sequences of up to ten draws, then inclusion and
// exclusion, which gives the same.
static void coupons_are_those_of_all_sequences(void **state)
{
    (void)state;
    double chance[CELLS_MAX] = {0}, before = 0;
    for (unsigned d = 1; d < 199; d++) {
        const double whole = d < 4 ? 0 : 1 - 4 * pow(0.75, d) + 6 * pow(0.5, d) - 4 * pow(0.25, d);
        chance[d] = whole - before;
        before = whole;
    }
    for (unsigned d = 4; d <= 10; d++) {
        uint64_t now = 0;
        for (uint32_t s = 0; s < 1u << 2 * d; s++) {
            unsigned have = 0, earlier = 0;
            for (unsigned i = 0; i < d; i++) {
                earlier = have;
                have |= 1u << (s >> 2 * i & 3);
            }
            now += have == 15 && earlier != 15;
        }
        assert_true(fabs((double)now / (double)(1u << 2 * d) - chance[d]) < 1e-14);
    }
    const struct test test = test_coupons(2, 0);
    assert_chances(&test, chance, 0x1p28);
}

// All hands that there are, through the counting itself: 4 draws of 1, 2 and 3 bits, 2 of 4.
static void hands_are_those_that_there_are(void **state)
{
    (void)state;
    static const unsigned shape[][2] = {{1, 4}, {2, 4}, {3, 4}, {4, 2}};
    static uint32_t words[1 << 16];
    for (unsigned i = 0; i < sizeof shape / sizeof *shape; i++) {
        const unsigned bits = shape[i][0], hand = shape[i][1], hands = 1u << bits * hand;
        const struct test test = test_poker(5, bits, hand);
        uint64_t count[CELLS_MAX] = {0};
        for (unsigned w = 0; w < 1 << 16; w++)
            words[w] = (w / hand % hands >> bits * (w % hand) & ((1u << bits) - 1)) << 5 | 31;
        test.count(&test, words, &(struct counts){count, NULL, NULL, 0, 0});
        assert_int_equal((1 << 16) / hand % hands, 0);
        assert_law(&test, count);
    }
}

// All walks of 64 steps, counted by place and highest point so far, a step at a time.
static void highest_points_are_those_of_all_walks(void **state)
{
    (void)state;
    enum { STEPS = 64, MIDDLE = STEPS };
    static double walks[2 * STEPS + 1][STEPS + 1], next[2 * STEPS + 1][STEPS + 1];
    walks[MIDDLE][0] = 1;
    for (int s = 0; s < STEPS; s++) {
        memset(next, 0, sizeof next);
        for (int at = -s; at <= s; at++)
            for (int top = at > 0 ? at : 0; top <= s; top++) {
                const double each = walks[MIDDLE + at][top] / 2;
                next[MIDDLE + at - 1][top] += each;
                next[MIDDLE + at + 1][at + 1 > top ? at + 1 : top] += each;
            }
        memcpy(walks, next, sizeof walks);
    }
    double chance[CELLS_MAX] = {0};
    for (int at = -STEPS; at <= STEPS; at++)
        for (int top = 0; top <= STEPS; top++)
            chance[top] += walks[MIDDLE + at][top];
    const struct test test = test_walk();
    assert_chances(&test, chance, 0x1p50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_are_those_of_all_orders),
        cmocka_unit_test(runs_end_with_the_word_that_breaks_them),
        cmocka_unit_test(a_few_long_runs_stand_out),
        cmocka_unit_test(longest_runs_are_counted_by_block),
        cmocka_unit_test(longest_runs_have_their_chances),
        cmocka_unit_test(coupons_are_those_of_all_sequences),
        cmocka_unit_test(hands_are_those_that_there_are),
        cmocka_unit_test(highest_points_are_those_of_all_walks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
