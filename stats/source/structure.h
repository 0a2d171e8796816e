// SPDX-License-Identifier: Apache-2.0
// What may be known of a source besides its stream: the block function that it is made of, and the
// tree that its keys are split in. avalanche.h and tree.h test them.

#ifndef ASSAY_STATS_SOURCE_STRUCTURE_H
#define ASSAY_STATS_SOURCE_STRUCTURE_H

#include <stddef.h>
#include <stdint.h>

#include "ref/base/error.h"

enum { BLOCK_INPUT_MAX = 16, BLOCK_OUTPUT_MAX = 8 };

// A pure function of input words (counter first, then key) to output words. One that costs less
// when many are asked for at once has `evaluate_all` instead: `count` inputs, BLOCK_INPUT_MAX words
// apart, to outputs BLOCK_OUTPUT_MAX words apart. Called from several threads.
struct block_function {
    unsigned input_words, output_words; // at most the two limits above; of the inputs the first
                                        // counter_words are the counter
    unsigned counter_words;
    void (*evaluate)(const void *context, const uint32_t *input, uint32_t *output);
    enum error (*evaluate_all)(const void *context, const uint32_t *input, size_t count,
                               uint32_t *output, struct diagnostic *diagnostic);
    unsigned output_bits;          // of each output word, the low ones; 0: 32
    const char *const *input_name; // of each input word; NULL: bits of the counter and of the key
                                   // are numbered through
};

enum { TREE_DEPTH = 20, TREE_FAN_LOG2_MAX = 10 }; // 2^20 leaves

// A tree of 64-bit keys, each of which is split into 2^fan_log2 (a divisor of TREE_DEPTH).
struct key_tree {
    uint64_t root;
    unsigned fan_log2;
    // Writes the children of a key; NULL: there is no tree.
    enum error (*split)(void *context, uint64_t key, uint64_t *child,
                        struct diagnostic *diagnostic);
    void *context;
};

#endif
