// SPDX-License-Identifier: Apache-2.0
// philox: the block function itself, on tensors of counters, in all four widths of Random123 and with any number of rounds. The
// attribute says how many; the choice of the same name knows who does another number whatever was asked for.

#include "ref/rng/philox.h"

#include "ref/op/block.h"

static const struct attribute_spec attributes[] = {BLOCK_ATTRIBUTE_ROWS(PHILOX_ROUNDS)};

enum { KEY_SCHEDULE, MULTIPLIERS, WORD_ORDER, ROUNDS };

static const struct choice choices[] = {
    [KEY_SCHEDULE] = {"key_schedule", (const char *const[]){"weyl", "constant", "swapped_constants", NULL}},
    [MULTIPLIERS] = {"multipliers", (const char *const[]){"published", "swapped", NULL}},
    [WORD_ORDER] = {"word_order", (const char *const[]){"ascending", "descending", NULL}},
    [ROUNDS] = {"rounds", (const char *const[]){"asked", "7", "8", "9", "10", "11", NULL}},
};

enum { COUNTER_WORDS_PER_KEY_WORD = 2 };

static enum error infer(const struct request *request, struct inference *inference, struct diagnostic *diagnostic)
{
    return block_infer(request, COUNTER_WORDS_PER_KEY_WORD, inference, diagnostic);
}

static struct philox_form form_of(const struct request *request, unsigned words, enum dtype dtype)
{
    struct philox_form form =
        dtype == DTYPE_U64 ? (words == 2 ? philox2x64 : philox4x64) : (words == 2 ? philox2x32 : philox4x32);
    const uint64_t multiplier = form.multiplier[0], weyl = form.weyl[0];
    if (request->profile.option[MULTIPLIERS] && words == 4) {
        form.multiplier[0] = form.multiplier[1];
        form.multiplier[1] = multiplier;
    }
    if (request->profile.option[KEY_SCHEDULE] == 1) {
        form.weyl[0] = form.weyl[1] = 0;
    } else if (request->profile.option[KEY_SCHEDULE] == 2 && words == 4) {
        form.weyl[0] = form.weyl[1];
        form.weyl[1] = weyl;
    }
    return form;
}

static void one_block(const struct request *request, unsigned words, enum dtype dtype, uint64_t *word, const uint64_t *key)
{
    const struct philox_form form = form_of(request, words, dtype);
    const struct philox_counter at = {{word[0], word[1], word[2], word[3]}};
    const struct philox_key under = {{key[0], key[1]}};
    const struct philox_counter block = philox_block(&form, at, under, block_rounds(request, &choices[ROUNDS], ROUNDS));
    for (unsigned i = 0; i < words; i++)
        word[i] = block.word[i];
}

static enum error fill(const struct request *request, const struct inference *inference, const struct slice *slice,
                       struct diagnostic *diagnostic)
{
    (void)inference;
    (void)diagnostic;
    block_fill(request, COUNTER_WORDS_PER_KEY_WORD, slice, one_block, request->profile.option[WORD_ORDER] != 0);
    return ERROR_NONE;
}

const struct operation philox_operation = {
    .name = "philox",
    .summary = "Philox blocks of given counters and keys (Random123)",
    .attributes = attributes,
    .attribute_count = OPERATION_ROWS(attributes),
    .inputs = block_inputs,
    .input_count = BLOCK_INPUTS,
    .outputs = (const char *const[]){"output", NULL},
    .choices = choices,
    .choice_count = OPERATION_ROWS(choices),
    .plain_dtype = block_plain_dtype,
    .infer = infer,
    .fill = fill,
};
