// SPDX-License-Identifier: Apache-2.0
// Trees of keys: jax.split's, and the same with one weakness each.

#include <setjmp.h>
#include <stdarg.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "stats/source/avalanche.h"
#include "stats/source/tree.h"

static uint64_t child_of_32_bits(uint64_t key, unsigned branch)
{
    return tree_jax_child(key, branch) & UINT32_MAX;
}

// One key in 2^16 has two children that are one.
static uint64_t child_alike_at_times(uint64_t key, unsigned branch)
{
    return tree_jax_child(key, key & 65535 ? branch : 0);
}

static uint64_t child_is_parent_at_times(uint64_t key, unsigned branch)
{
    return key >> 46 ? tree_jax_child(key, branch) : key;
}

struct weak {
    uint64_t (*child)(uint64_t key, unsigned branch);
    unsigned fan_log2;
};

static enum error split(void *context, uint64_t key, uint64_t *child, struct diagnostic *diagnostic)
{
    (void)diagnostic;
    const struct weak *const weak = context;
    for (unsigned c = 0; c < 1u << weak->fan_log2; c++)
        child[c] = weak->child(key, c);
    return ERROR_NONE;
}

static void equal_keys_are_found(void **state)
{
    (void)state;
    static const struct {
        uint64_t (*child)(uint64_t key, unsigned branch);
        double least, most;
    } row[] = {
        {tree_jax_child, 0, 0},
        {child_of_32_bits, 400,
         4000}, // 2^41 pairs of 2^32 values: 512, and the keys below those that are inner ones
        {child_alike_at_times, 1, 1e9}, // of 2^20 inner keys 16, and all keys below them
        {child_is_parent_at_times, 1, 1e9},
    };
    for (unsigned r = 0; r < sizeof row / sizeof *row; r++)
        for (uint64_t seed = 1; seed < 4; seed += 2) {
            struct weak weak = {row[r].child, 1};
            const struct key_tree tree = {seed << 60 | 77 << 20, 1, split, &weak};
            struct judgement judgement;
            struct diagnostic diagnostic;
            assert_int_equal(tree_run(&tree, 0, 1, UINT32_MAX, &judgement, &diagnostic), 0);
            assert_int_equal(judgement.kept, 1);
            if (judgement.worst[0].observed < row[r].least ||
                judgement.worst[0].observed > row[r].most)
                fail_msg("tree %u: %g equal keys", r, judgement.worst[0].observed);
            // (2^21 - 1) (2^21 - 2) / 2^65, and one pair is as rare as that
            assert_true(fabs(judgement.worst[0].expected / 1.1920917e-7 - 1) < 1e-6);
            assert_true(row[r].least > 0 ? judgement_log_p(&judgement) < log(1.2e-7)
                                         : judgement_log_p(&judgement) >= 0);
        }
}

// A wide tree has 1 + 2^10 + 2^20 nodes, and four of them four times as many under four roots.
static void wide_trees_and_several_are_one_family(void **state)
{
    (void)state;
    struct judgement judgement;
    struct diagnostic diagnostic;
    struct weak weak = {tree_jax_child, 10};
    const struct key_tree tree = {9, 10, split, &weak}, binary = tree_jax(9);
    assert_int_equal(tree_run(&tree, 1, 4, UINT32_MAX, &judgement, &diagnostic), 0);
    assert_true(judgement.worst[0].observed <= 0);
    assert_true(fabs(judgement.worst[0].expected / (4198404.0 * 4198403 * 0x1p-65) - 1) < 1e-9);
    assert_int_equal(tree_run(&binary, 0, 2, UINT32_MAX, &judgement, &diagnostic), 0);
    assert_true(judgement.worst[0].observed <= 0);
    weak.child = child_of_32_bits;
    assert_int_equal(tree_run(&tree, 0, 1, UINT32_MAX, &judgement, &diagnostic), 0);
    assert_true(judgement.worst[0].observed > 80 &&
                judgement.worst[0].observed <
                    1e4); // 128 of 2^39 pairs; more where parents are equal
}

static void with_index_of_31_bits(const void *context, const uint32_t *input, uint32_t *output)
{
    uint32_t less[BLOCK_INPUT_MAX];
    memcpy(less, input, sizeof less);
    less[1] &= INT32_MAX;
    tree_jax_path.evaluate(context, less, output);
}

static void with_number_of_16_bits(const void *context, const uint32_t *input, uint32_t *output)
{
    uint32_t less[BLOCK_INPUT_MAX];
    memcpy(less, input, sizeof less);
    less[3] &= 65535;
    tree_jax_path.evaluate(context, less, output);
}

static void with_indices_added(const void *context, const uint32_t *input, uint32_t *output)
{
    uint32_t less[BLOCK_INPUT_MAX];
    memcpy(less, input, sizeof less);
    less[0] += less[1];
    less[1] = 0;
    tree_jax_path.evaluate(context, less, output);
}

static void with_root_of_one_word(const void *context, const uint32_t *input, uint32_t *output)
{
    uint32_t less[BLOCK_INPUT_MAX];
    memcpy(less, input, sizeof less);
    less[4] = 0;
    tree_jax_path.evaluate(context, less, output);
}

static void every_bit_of_a_path_is_turned(void **state)
{
    (void)state;
    static const struct {
        void (*evaluate)(const void *context, const uint32_t *input, uint32_t *output);
        const char *what;
    } row[] = {
        {NULL, NULL},
        {with_index_of_31_bits, "bit 31 of the second index of the path turned over"},
        {with_number_of_16_bits, "of the number folded in turned over"},
        {with_indices_added,
         "the first index of the path and the second index of the path moved by opposite amounts"},
        {with_root_of_one_word, "of the root's first word turned over"},
    };
    for (unsigned r = 0; r < sizeof row / sizeof *row; r++) {
        struct block_function block = tree_jax_path;
        struct judgement judgement;
        struct diagnostic diagnostic;
        char text[256];
        if (row[r].evaluate)
            block.evaluate = row[r].evaluate;
        assert_int_equal(avalanche_run(&block, NULL, 12, 3, 1, UINT32_MAX, &judgement, &diagnostic),
                         0);
        // 192 bits, three ways with each of 15 pairs of words, three complements; four words, four
        // neighbours, six pairs
        assert_int_equal(judgement.hypotheses, (192 + 45 + 3) * (4 + 4 + 6) * 32);
        avalanche_describe(&block, judgement.worst[0].index, text, sizeof text);
        if (row[r].what ? judgement_log_p(&judgement) > -1000 || !strstr(text, row[r].what)
                        : judgement_log_p(&judgement) < -9)
            fail_msg("path %u: log p %g, %s", r, judgement_log_p(&judgement), text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_keys_are_found),
        cmocka_unit_test(wide_trees_and_several_are_one_family),
        cmocka_unit_test(every_bit_of_a_path_is_turned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
