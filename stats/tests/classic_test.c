// SPDX-License-Identifier: Apache-2.0
// The laws of the tests kept for diversity, against enumeration: counts in the exact proportions of
// all outcomes leave no doubt (log p is 0), and with a tenth of the likeliest outcome moved to the
// cell beside it they leave none either.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <math.h>
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

// Of all orders of nine words: how long the first ascending run is. What is longer than eight comes
// once in 9!.
static void ascending_runs_are_those_of_all_orders(void **state)
{
    (void)state;
    enum { N = 9 };
    uint64_t count[CELLS_MAX] = {0};
    unsigned order[N], at[N] = {0};
    for (unsigned i = 0; i < N; i++)
        order[i] = i;
    for (unsigned i = 0;;) { // Heap's algorithm
        if (!i) {
            unsigned length = 1;
            while (length < N && order[length] > order[length - 1])
                length++;
            count[length - 1] += 100;
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
    const struct test test = test_ascents();
    assert_int_equal(count[0], 100 * 362880 / 2);
    assert_law(&test, count);
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
        cmocka_unit_test(ascending_runs_are_those_of_all_orders),
        cmocka_unit_test(coupons_are_those_of_all_sequences),
        cmocka_unit_test(hands_are_those_that_there_are),
        cmocka_unit_test(highest_points_are_those_of_all_walks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
