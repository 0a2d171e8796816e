// SPDX-License-Identifier: Apache-2.0
// Laws of splittable generators, which hold whatever the bits are.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "ref/op/jax/random.h"
#include "ref/op/jax/shuffle.h"

static struct jax_key key_of(enum jax_generator generator, bool partitionable, uint64_t seed)
{
    struct jax_key key = {.generator = generator, .partitionable = partitionable};
    jax_seed(&key, seed);
    return key;
}

static int compare_keys(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static uint64_t packed(struct jax_key key)
{
    return (uint64_t)key.word[0] << 32 | key.word[1];
}

// All 2^21 - 1 keys of a tree in which every key is split in two, twenty times over.
static void a_tree_of_depth_twenty_repeats_no_key(void **state)
{
    (void)state;
    enum { DEPTH = 20, KEYS = (1 << (DEPTH + 1)) - 1 };
    for (int partitionable = 0; partitionable < 2; partitionable++) {
        uint64_t *const keys = malloc(KEYS * sizeof *keys);
        assert_non_null(keys);
        struct jax_key key = key_of(JAX_THREEFRY2X32, partitionable, 0);
        keys[0] = packed(key);
        for (size_t i = 0; 2 * i + 2 < KEYS; i++) {
            key.word[0] = (uint32_t)(keys[i] >> 32);
            key.word[1] = (uint32_t)keys[i];
            keys[2 * i + 1] = packed(jax_split(&key, 2, 0));
            keys[2 * i + 2] = packed(jax_split(&key, 2, 1));
        }
        qsort(keys, KEYS, sizeof *keys, compare_keys);
        for (size_t i = 1; i < KEYS; i++)
            assert_true(keys[i - 1] != keys[i]);
        free(keys);
    }
}

static void a_split_is_fold_in_where_it_must_be(void **state)
{
    (void)state;
    static const enum jax_generator generators[] = {JAX_THREEFRY2X32, JAX_THREEFRY4X32,
                                                    JAX_PHILOX2X32, JAX_PHILOX4X32, JAX_RBG};
    for (unsigned g = 0; g < 5; g++)
        for (uint32_t i = 0; i < 5; i++) {
            const struct jax_key key = key_of(generators[g], true, 42),
                                 split = jax_split(&key, 5, i), folded = jax_fold_in(&key, i);
            assert_memory_equal(split.word, folded.word, sizeof split.word);
        }
}

static void a_window_is_its_slice_in_every_form(void **state)
{
    (void)state;
    enum { COUNT = 301 };
    static const unsigned widths[] = {8, 16, 32, 64};
    for (unsigned g = 0; g < JAX_GENERATORS; g++)
        for (unsigned w = 0; w < 4; w++)
            for (int partitionable = 0; partitionable < 2; partitionable++) {
                const struct jax_key key = key_of((enum jax_generator)g, partitionable, 7);
                const size_t size = widths[w] / 8;
                uint64_t all[COUNT], part[COUNT];
                jax_bits(&key, widths[w], COUNT, 0, COUNT, all);
                for (size_t first = 0; first < COUNT; first += 37) {
                    jax_bits(&key, widths[w], COUNT, first, COUNT - first, part);
                    assert_memory_equal(part, (const char *)all + first * size,
                                        (COUNT - first) * size);
                }
            }
}

static void the_first_elements_do_not_depend_on_how_many_follow(void **state)
{
    (void)state;
    uint32_t few[10], many[1000];
    for (unsigned g = 0; g < JAX_GENERATORS; g++) {
        const struct jax_key key = key_of((enum jax_generator)g, true, 7);
        jax_bits(&key, 32, 10, 0, 10, few);
        jax_bits(&key, 32, 1000, 0, 1000, many);
        assert_memory_equal(few, many, sizeof few);
    }
}

static void a_shuffle_is_a_permutation(void **state)
{
    (void)state;
    static const uint64_t counts[] = {0, 1, 2, 3, 47, 48, 49, 1625, 1626, 70000};
    for (unsigned i = 0; i < sizeof counts / sizeof *counts; i++) {
        const struct jax_lanes lanes = {1, counts[i], 1};
        size_t size;
        assert_true(jax_shuffle_workspace(lanes, &size));
        void *const workspace = malloc(size + 1);
        unsigned char *const seen = calloc(counts[i] + 1, 1);
        const struct jax_key key = key_of(JAX_THREEFRY2X32, true, 3);
        const uint32_t *const source = jax_shuffle(&key, lanes, workspace);
        for (uint64_t j = 0; j < counts[i]; j++) {
            assert_true(source[j] < counts[i]);
            assert_int_equal(seen[source[j]], 0);
            seen[source[j]] = 1;
        }
        free(seen);
        free(workspace);
    }
}

// jax asks for ceil(3 ln n / ln(2^32 - 1)); the least n of each number of rounds by exact powers:
// 2, 1626, 2642246.
static void rounds_of_a_shuffle(void **state)
{
    (void)state;
    static const struct {
        uint64_t count;
        unsigned rounds;
    } row[] = {{0, 0},    {1, 0},       {2, 1},       {1625, 1},
               {1626, 2}, {2642245, 2}, {2642246, 3}, {UINT32_MAX, 3}};
    for (unsigned i = 0; i < sizeof row / sizeof *row; i++)
        assert_int_equal(jax_shuffle_rounds(row[i].count), row[i].rounds);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tree_of_depth_twenty_repeats_no_key),
        cmocka_unit_test(a_split_is_fold_in_where_it_must_be),
        cmocka_unit_test(a_window_is_its_slice_in_every_form),
        cmocka_unit_test(the_first_elements_do_not_depend_on_how_many_follow),
        cmocka_unit_test(a_shuffle_is_a_permutation),
        cmocka_unit_test(rounds_of_a_shuffle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
