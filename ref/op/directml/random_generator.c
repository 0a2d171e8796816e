// SPDX-License-Identifier: Apache-2.0
// directml.random_generator: DirectML DML_RANDOM_GENERATOR_OPERATOR_DESC, type PHILOX_4X32_10.
//
// The state is UINT32[6]: a 128-bit counter, least significant word first, and a 64-bit key.
// Element 4j + t of the output is word t of the block at counter + j; the new state is the counter
// plus ceil(n / 4). A pure function: nothing is kept.

#include "ref/op/directml/random_generator.h"

#include <inttypes.h>

#include "ref/base/bytes.h"
#include "ref/rng/philox_stream.h"

enum { LEVEL_4_0 = 2 }; // the place of 4.0 among the feature levels

enum { TYPE, OUTPUT_SIZES, OUTPUT_TYPE, OUTPUT_STATE, OUTPUT_STATE_SIZES, FEATURE_LEVEL };

static const struct attribute_spec attributes[] = {
    [TYPE] = ATTRIBUTE("type", WORD, DEFAULT, .words = OPERATION_WORDS("philox_4x32_10")),
    [OUTPUT_SIZES] = ATTRIBUTE("output_sizes", SIZES, REQUIRED),
    [OUTPUT_TYPE] = ATTRIBUTE("output_type", DTYPE, OPTIONAL, .dtypes = DTYPE_BIT(DTYPE_U32)),
    [OUTPUT_STATE] = ATTRIBUTE("output_state", BOOLEAN, DEFAULT),
    [OUTPUT_STATE_SIZES] =
        ATTRIBUTE("output_state_sizes", SIZES, OPTIONAL), // absent: input_state's
    [FEATURE_LEVEL] = ATTRIBUTE("feature_level", WORD, DEFAULT, .standard = LEVEL_4_0,
                                .words = OPERATION_WORDS("3.0", "3.1", "4.0", "4.1", "5.0", "5.1",
                                                         "5.2", "6.0", "6.1", "6.2", "6.3", "6.4")),
};

enum { ROUNDS, STATE_ADVANCE, COUNTER_CARRY, COUNTER_ORDER };

static const struct choice choices[] = {
    [ROUNDS] = {"rounds", OPERATION_WORDS("10", "7", "9", "11")},
    [STATE_ADVANCE] = {"state_advance",
                       OPERATION_WORDS("blocks", "elements", "whole_blocks", "documented_example")},
    [COUNTER_CARRY] = {"counter_carry", OPERATION_WORDS("128_bits", "64_bits", "32_bits")},
    [COUNTER_ORDER] = {"counter_order", OPERATION_WORDS("low_word_first", "high_word_first")},
};

enum { STATE_WORDS = 6, COUNTER_WORDS = 4, RANK_LEVEL_3 = 4, RANK_MAX = 8 };

// Below level 4.0: exactly four dimensions; from there on: one to eight.
static enum error check_rank(const struct request *request, size_t rank, const char *what,
                             struct diagnostic *diagnostic)
{
    const int64_t level = request->attribute[FEATURE_LEVEL].integer;
    const bool level_3 = level < LEVEL_4_0;
    if (level_3 ? rank == RANK_LEVEL_3 : rank >= 1 && rank <= RANK_MAX)
        return ERROR_NONE;
    return diagnostic_fail(
        diagnostic, ERROR_INVALID_ARGUMENT, "%s has %zu dimensions; feature level %s takes %s",
        what, rank, attributes[FEATURE_LEVEL].words[level], level_3 ? "exactly 4" : "1 to 8");
}

// The two states have the same number of dimensions and the same sizes.
static enum error check_state_sizes(const struct request *request, struct diagnostic *diagnostic)
{
    const struct tensor *const state = &request->input[0];
    const struct attribute_value *const sizes = &request->attribute[OUTPUT_STATE_SIZES];
    if (!sizes->present)
        return ERROR_NONE;
    if (!request->attribute[OUTPUT_STATE].integer)
        return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                               "output_state_sizes without output_state");
    bool same = sizes->count == state->rank;
    for (unsigned i = 0; same && i < state->rank; i++)
        same = (uint64_t)sizes->integers[i] == state->shape[i];
    return same ? ERROR_NONE
                : diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                                  "output_state_sizes are not those of input_state");
}

static enum error infer(const struct request *request, struct inference *inference,
                        struct diagnostic *diagnostic)
{
    const struct tensor *const state = &request->input[0];
    const struct attribute_value *const sizes = &request->attribute[OUTPUT_SIZES];
    enum error error = operation_check_dtype(request, 0, DTYPE_BIT(DTYPE_U32), diagnostic);
    if (!error)
        error = check_rank(request, state->rank, "input_state", diagnostic);
    for (unsigned i = 0; !error && i < state->rank; i++) {
        const uint64_t expected = i + 1 == state->rank ? STATE_WORDS : 1;
        if (state->shape[i] != expected)
            error = diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                                    "input_state has size %" PRIu64
                                    " in dimension %u; expected %" PRIu64,
                                    state->shape[i], i, expected);
    }
    if (!error)
        error = check_state_sizes(request, diagnostic);
    if (!error)
        error = check_rank(request, sizes->count, "output_sizes", diagnostic);
    if (!error)
        error = operation_set_shape(&inference->output[0], sizes->integers, sizes->count,
                                    "output_sizes", diagnostic);
    if (error)
        return error;
    inference->output[0].dtype = DTYPE_U32;
    if (request->attribute[OUTPUT_STATE].integer) {
        inference->output[1] = *state;
        inference->output[1].data = NULL;
    }
    return ERROR_NONE;
}

struct state {
    uint32_t counter[COUNTER_WORDS], key[2];
};

static struct state load_state(const struct request *request)
{
    struct state state;
    const bool high_first = request->profile.option[COUNTER_ORDER];
    for (unsigned i = 0; i < COUNTER_WORDS; i++)
        state.counter[i] = (uint32_t)element_load(request->input[0].data, 4,
                                                  high_first ? COUNTER_WORDS - 1 - i : i);
    for (unsigned i = 0; i < 2; i++)
        state.key[i] = (uint32_t)element_load(request->input[0].data, 4, COUNTER_WORDS + i);
    return state;
}

// counter + blocks in the low `words` words; the others do not see the carry.
static void advance(uint32_t counter[COUNTER_WORDS], uint64_t blocks, unsigned words)
{
    uint64_t carry = blocks;
    for (unsigned i = 0; i < words; i++) {
        const uint64_t sum = (carry & 0xffffffff) + counter[i];
        counter[i] = (uint32_t)sum;
        carry = (carry >> 32) + (sum >> 32);
    }
}

static unsigned carry_words(const struct request *request)
{
    static const unsigned words[] = {4, 2, 1};
    return words[request->profile.option[COUNTER_CARRY]];
}

static void write_new_state(const struct request *request, const struct inference *inference,
                            const struct slice *slice)
{
    enum { BY_ELEMENTS = 1, BY_WHOLE_BLOCKS, AS_THE_EXAMPLE };
    uint64_t elements;
    tensor_count(&inference->output[0], &elements);
    struct state state = load_state(request);
    const uint64_t blocks = elements / 4 + (elements % 4 != 0);
    switch (request->profile.option[STATE_ADVANCE]) {
    case BY_ELEMENTS:
        advance(state.counter, elements, carry_words(request));
        break;
    case BY_WHOLE_BLOCKS:
        advance(state.counter, elements / 4, carry_words(request));
        break;
    case AS_THE_EXAMPLE: // the documentation's "after" is its "before" minus the blocks
        for (unsigned i = 0; i < COUNTER_WORDS; i++)
            state.counter[i] = ~state.counter[i];
        advance(state.counter, blocks, COUNTER_WORDS);
        for (unsigned i = 0; i < COUNTER_WORDS; i++)
            state.counter[i] = ~state.counter[i];
        break;
    default:
        advance(state.counter, blocks, carry_words(request));
        break;
    }
    const bool high_first = request->profile.option[COUNTER_ORDER];
    for (uint64_t i = 0; i < slice->count; i++) {
        const uint64_t word = slice->first + i;
        const uint64_t place = high_first && word < COUNTER_WORDS ? COUNTER_WORDS - 1 - word : word;
        element_store(slice->data, 4, i,
                      word < COUNTER_WORDS ? state.counter[place]
                                           : state.key[word - COUNTER_WORDS]);
    }
}

static enum error fill(const struct request *request, const struct inference *inference,
                       const struct slice *slice, struct diagnostic *diagnostic)
{
    static const unsigned rounds[] = {10, 7, 9, 11};
    (void)diagnostic;
    if (slice->output == 1) {
        write_new_state(request, inference, slice);
        return ERROR_NONE;
    }
    const struct state state = load_state(request);
    const struct philox_stream stream = {
        .key = {state.key[0], state.key[1]},
        .counter = {state.counter[0], state.counter[1], state.counter[2], state.counter[3]},
        .rounds = rounds[request->profile.option[ROUNDS]],
        .carry_words = carry_words(request),
    };
    philox_fill_u32(&stream, slice->first, slice->count, slice->data);
    return ERROR_NONE;
}

const struct operation directml_random_generator = {
    .name = "directml.random_generator",
    .summary = "DirectML RANDOM_GENERATOR: Philox4x32-10 words and the advanced state",
    OPERATION_ATTRIBUTES(attributes),
    OPERATION_INPUT_ROWS({.name = "input_state"}),
    .outputs = OPERATION_WORDS("output", "output_state"),
    OPERATION_CHOICES(choices),
    .plain_dtype = operation_plain_u32,
    .infer = infer,
    .fill = fill,
};
