// SPDX-License-Identifier: Apache-2.0
// What philox and threefry have in common: tensors of counters, of 2 or 4 words of 32 or 64 bits, under one key or one each.

#ifndef ASSAY_REF_OP_BLOCK_H
#define ASSAY_REF_OP_BLOCK_H

#include "ref/op/operation.h"

extern const struct operation philox_operation, threefry_operation;

enum { BLOCK_WORDS, BLOCK_WIDTH, BLOCK_ROUNDS, BLOCK_ATTRIBUTES };

#define BLOCK_ATTRIBUTE_ROWS(published_rounds)                                                                                 \
    [BLOCK_WORDS] = {.name = "words", .kind = ATTRIBUTE_INTEGER, .presence = ATTRIBUTE_OPTIONAL, .minimum = 2, .maximum = 4},  \
    [BLOCK_WIDTH] = {.name = "width",                                                                                          \
                     .kind = ATTRIBUTE_INTEGER,                                                                                \
                     .presence = ATTRIBUTE_OPTIONAL,                                                                           \
                     .minimum = 32,                                                                                            \
                     .maximum = 64},                                                                                           \
    [BLOCK_ROUNDS] = {.name = "rounds",                                                                                        \
                      .kind = ATTRIBUTE_INTEGER,                                                                               \
                      .presence = ATTRIBUTE_DEFAULT,                                                                           \
                      .standard = (published_rounds),                                                                          \
                      .minimum = 0,                                                                                            \
                      .maximum = 1024}

enum { BLOCK_COUNTER, BLOCK_KEY, BLOCK_INPUTS };

extern const struct input_spec block_inputs[];

enum dtype block_plain_dtype(const struct request *request, unsigned input);

// Checks counter and key, which has `words` / `counter_words_per_key_word` words, and infers the output.
enum error block_infer(const struct request *request, unsigned counter_words_per_key_word, struct inference *inference,
                       struct diagnostic *diagnostic);

// How many rounds a block takes: as many as the attribute asks for, or the number that the profile's option of this choice (in row
// `row` of the operation's table) stands for. Option 0 is "asked", the others are numbers.
unsigned block_rounds(const struct request *request, const struct choice *choice, unsigned row);

// One block: `word` holds the counter and becomes the result; words of 32 bits stand in the low half.
typedef void block_function(const struct request *request, unsigned words, enum dtype dtype, uint64_t *word,
                            const uint64_t *key);

// Fills a slice block by block. `descending` turns the words of each block round.
void block_fill(const struct request *request, unsigned counter_words_per_key_word, const struct slice *slice,
                block_function *function, bool descending);

#endif
