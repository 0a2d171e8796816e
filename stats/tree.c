// SPDX-License-Identifier: Apache-2.0
// Trees of keys.

#include "stats/tree.h"

#include <stdio.h>
#include <stdlib.h>

#include "ref/op/jax_random.h"
#include "stats/avalanche.h"
#include "stats/sort.h"

static struct jax_key key_of(uint32_t first, uint32_t second)
{
    return (struct jax_key){.generator = JAX_THREEFRY2X32, .partitionable = true, .word = {first, second}};
}

uint64_t tree_jax_child(uint64_t key, unsigned branch)
{
    const struct jax_key parent = key_of((uint32_t)(key >> 32), (uint32_t)key), child = jax_split(&parent, 2, branch);
    return (uint64_t)child.word[0] << 32 | child.word[1];
}

enum error tree_run(const struct key_tree *tree, unsigned depth, uint32_t only, struct judgement *judgement,
                    struct diagnostic *diagnostic)
{
    const size_t nodes = ((size_t)2 << depth) - 1;
    judgement_begin(judgement, only);
    uint64_t *const key = malloc(2 * nodes * sizeof *key);
    if (!key)
        return diagnostic_no_memory(diagnostic);
    key[0] = tree->root;
    for (size_t n = 1; n < nodes; n++) // the children of node n are 2n + 1 and 2n + 2
        key[n] = tree->child(key[(n - 1) / 2], (n - 1) % 2);
    sort_u64(key, key + nodes, nodes, 64);
    judgement_add_poisson(judgement, 0, sorted_repeats_u64(key, nodes), (double)nodes * (double)(nodes - 1) * 0x1p-65, 0);
    free(key);
    return ERROR_NONE;
}

void tree_describe(char *text, size_t size)
{
    snprintf(text, size, "keys that come again in a tree of 2^%d leaves (in one four times as large, on fresh keys)",
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

static const char *const path_words[] = {"the first index of the path", "the second index of the path",
                                         "the third index of the path", "the number folded in",
                                         "the root's first word",       "the root's second word"};

const struct block_function tree_jax_path = {.input_words = SPLITS + 3,
                                             .output_words = 4,
                                             .counter_words = SPLITS + 1,
                                             .evaluate = evaluate_path,
                                             .input_name = path_words};
