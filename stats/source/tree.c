// SPDX-License-Identifier: Apache-2.0
// Trees of keys.

#include "stats/source/tree.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "ref/op/jax/random.h"
#include "stats/kernel/sort.h"

static struct jax_key key_of(uint32_t first, uint32_t second)
{
    return (struct jax_key){
        .generator = JAX_THREEFRY2X32, .partitionable = true, .word = {first, second}};
}

uint64_t tree_jax_child(uint64_t key, unsigned branch)
{
    const struct jax_key parent = key_of((uint32_t)(key >> 32), (uint32_t)key),
                         child = jax_split(&parent, 2, branch);
    return (uint64_t)child.word[0] << 32 | child.word[1];
}

static enum error jax_split_in_two(void *context, uint64_t key, uint64_t *child,
                                   struct diagnostic *diagnostic)
{
    (void)context, (void)diagnostic;
    child[0] = tree_jax_child(key, 0);
    child[1] = tree_jax_child(key, 1);
    return ERROR_NONE;
}

struct key_tree tree_jax(uint64_t root)
{
    return (struct key_tree){.root = root, .fan_log2 = 1, .split = jax_split_in_two};
}

// Node n has the children fan n + 1 to fan n + fan.
static enum error grow(const struct key_tree *tree, uint64_t root, size_t nodes, uint64_t *key,
                       struct diagnostic *diagnostic)
{
    const size_t fan = (size_t)1 << tree->fan_log2;
    enum error error = ERROR_NONE;
    key[0] = root;
    for (size_t n = 0; n < (nodes - 1) / fan && !error; n++)
        error = tree->split(tree->context, key[n], key + fan * n + 1, diagnostic);
    return error;
}

enum error tree_run(const struct key_tree *tree, unsigned first, unsigned trees, uint32_t only,
                    struct judgement *judgement, struct diagnostic *diagnostic)
{
    assert(tree->split && TREE_DEPTH % tree->fan_log2 == 0);
    size_t nodes = 0;
    for (unsigned depth = 0; depth <= TREE_DEPTH; depth += tree->fan_log2)
        nodes += (size_t)1 << depth;
    const size_t all = nodes * trees;
    judgement_begin(judgement, only);
    uint64_t *const key = malloc(2 * all * sizeof *key);
    if (!key)
        return diagnostic_no_memory(diagnostic);
    enum error error = ERROR_NONE;
    for (unsigned t = 0; t < trees && !error; t++)
        error = grow(tree, tree->root + UINT64_C(0x9e3779b97f4a7c15) * (first + t), nodes,
                     key + nodes * t, diagnostic);
    if (!error) {
        sort_u64(key, key + all, all, 64);
        judgement_add_poisson(judgement, 0, sorted_repeats_u64(key, all),
                              (double)all * (double)(all - 1) * 0x1p-65, 0);
    }
    free(key);
    return error;
}

void tree_describe(char *text, size_t size)
{
    snprintf(
        text, size,
        "keys that come again in a tree of 2^%d leaves (on fresh keys: in four of them together)",
        TREE_DEPTH);
}

enum { SPLITS = 3 };

static void evaluate_path(const void *context, const uint32_t *input, uint32_t *output)
{
    (void)context;
    struct jax_key key = key_of(input[SPLITS + 1], input[SPLITS + 2]);
    for (unsigned s = 0; s < SPLITS; s++)
        key = jax_split(&key, UINT64_C(1) << 32, input[s]);
    key = jax_fold_in(&key, input[SPLITS]);
    output[0] = key.word[0];
    output[1] = key.word[1];
    jax_bits(&key, 32, 2, 0, 2, output + 2);
}

static const char *const path_words[] = {
    "the first index of the path", "the second index of the path", "the third index of the path",
    "the number folded in",        "the root's first word",        "the root's second word"};

const struct block_function tree_jax_path = {.input_words = SPLITS + 3,
                                             .output_words = 4,
                                             .counter_words = SPLITS + 1,
                                             .evaluate = evaluate_path,
                                             .input_name = path_words};
