// SPDX-License-Identifier: Apache-2.0
// What philox and threefry have in common: tensors of counters, of 2 or 4 words of 32 or 64 bits,
// under one key or one each.

#ifndef ASSAY_REF_OP_WORDS_BLOCK_H
#define ASSAY_REF_OP_WORDS_BLOCK_H

#include "ref/op/operation.h"

extern const struct operation philox_operation, threefry_operation;

enum { BLOCK_WORDS, BLOCK_WIDTH, BLOCK_ROUNDS, BLOCK_ATTRIBUTES };

#define BLOCK_ATTRIBUTE_ROWS(published_rounds)                                                     \
    [BLOCK_WORDS] = ATTRIBUTE("words", INTEGER, OPTIONAL, .minimum = 2, .maximum = 4),             \
    [BLOCK_WIDTH] = ATTRIBUTE("width", INTEGER, OPTIONAL, .minimum = 32, .maximum = 64),           \
    [BLOCK_ROUNDS] = ATTRIBUTE("rounds", INTEGER, DEFAULT, .standard = (published_rounds),         \
                               .minimum = 0, .maximum = 1024)

enum { BLOCK_COUNTER, BLOCK_KEY, BLOCK_INPUTS };

extern const struct input_spec block_inputs[];

// Each has two choices of its own, then these: whether the words of a block are turned round, and
// how many rounds are done. Options 0 are "ascending" and "asked" (what the attribute asks for);
// the others of the second are numbers.
enum { BLOCK_ORDER_CHOICE = 2, BLOCK_ROUNDS_CHOICE, BLOCK_CHOICES };

// One block: `word` holds the counter and becomes the result; words of 32 bits stand in the low
// half. `rounds` is what the profile leaves of the attribute.
typedef void block_function(const struct request *request, unsigned words, enum dtype dtype,
                            unsigned rounds, uint64_t *word, const uint64_t *key);

struct block_family {
    unsigned counter_words_per_key_word;
    block_function *function;
};

extern const struct block_family philox_family, threefry_family;

enum dtype block_plain_dtype(const struct request *request, unsigned input);

// Checks counter and key and infers the output.
enum error block_infer(const struct request *request, struct inference *inference,
                       struct diagnostic *diagnostic);

// Fills a slice block by block.
enum error block_fill(const struct request *request, const struct inference *inference,
                      const struct slice *slice, struct diagnostic *diagnostic);

#define BLOCK_OPERATION_ROWS(attribute_rows, choice_rows)                                          \
    .attributes = (attribute_rows), .attribute_count = BLOCK_ATTRIBUTES, .inputs = block_inputs,   \
    .input_count = BLOCK_INPUTS, .outputs = OPERATION_WORDS("output"), .choices = (choice_rows),   \
    .choice_count = BLOCK_CHOICES, .plain_dtype = block_plain_dtype, .infer = block_infer,         \
    .fill = block_fill

#endif
