// SPDX-License-Identifier: Apache-2.0
// Trees of keys: are all keys of a tree different, and does every bit of the path to a leaf reach
// what the leaf gives?

#ifndef ASSAY_STATS_SOURCE_TREE_H
#define ASSAY_STATS_SOURCE_TREE_H

#include <stdint.h>

#include "ref/base/error.h"
#include "stats/battery/frame.h"
#include "stats/source/structure.h"

// Counts keys that come again among all nodes of `trees` trees with 2^20 leaves each, together;
// their roots are taken from the tree's own, from number `first` on (number 0: the root itself).
// Null: of n independent keys the equal pairs are Poisson with mean n (n - 1) / 2^65, 1.2e-7 for a
// binary tree; siblings that cannot be equal make it less. Source: Knuth, volume 2, 3.3.2 I.
enum error tree_run(const struct key_tree *tree, unsigned first, unsigned trees, uint32_t only,
                    struct judgement *judgement, struct diagnostic *diagnostic);

void tree_describe(char *text, size_t size);

// Of jax.split(key, 2), threefry2x32: the high half of a key is its first word.
uint64_t tree_jax_child(uint64_t key, unsigned branch);
struct key_tree tree_jax(uint64_t root);

// The way from a root to what its leaf gives: a root of two words, split three times, each time
// into a child of any 32-bit index, a 32-bit number folded in. The leaf's two words and the first
// two of jax.bits under it. Without a context.
extern const struct block_function tree_jax_path;

#endif
