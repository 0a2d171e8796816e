// SPDX-License-Identifier: Apache-2.0
// Sources that are operations of the reference, through the one door of ref/variant.

#include "stats/source/source.h"
#include "stats/source/tree.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ref/base/nearest.h"
#include "ref/base/json.h"
#include "ref/op/openvino/random_uniform.h"
#include "ref/op/request.h"
#include "ref/variant/variant.h"

// What is asked of each operation: arrays of 2^40 elements and more, of which slices are computed.
// Two numbers go in: the seed's high and low 32 bits. Floats in [0, 1) give the bits of their grid,
// packed.
static const struct op_row {
    const char *name, *operation;
    unsigned bits; // of an element that are used; 32: a word as it is
    bool nonzero;  // the seed 0 is refused
    bool splits;   // its words are keys
    const char *request;
} rows[] = {
    {"openvino.random_uniform", "openvino.random_uniform", 23, 1, 0,
     "{\"op\": \"openvino.random_uniform\", \"attributes\": {\"output_type\": \"f32\", "
     "\"global_seed\": %" PRIu64 ", \"op_seed\": %" PRIu64
     "}, \"inputs\": {\"shape\": [1048576, 1048576], \"minval\": 0.0, \"maxval\": 1.0}}"},
    {"directml.random_generator", "directml.random_generator", 32, 0, 0,
     "{\"op\": \"directml.random_generator\", \"attributes\": {\"output_sizes\": [1, 1024, "
     "1048576, 1024]}, \"inputs\": "
     "{\"input_state\": {\"dtype\": \"u32\", \"shape\": [1, 1, 1, 6], \"data\": [0, 0, 0, 0, "
     "%" PRIu64 ", %" PRIu64 "]}}, \"outputs\": [\"output\"]}"},
    {"jax.bits", "jax.bits", 32, 0, 0,
     "{\"op\": \"jax.bits\", \"attributes\": {\"shape\": [1048576, 1048576]}, \"inputs\": "
     "{\"key\": [%" PRIu64 ", %" PRIu64 "]}}"},
    {"jax.uniform", "jax.uniform", 23, 0, 0,
     "{\"op\": \"jax.uniform\", \"attributes\": {\"shape\": [1048576, 1048576]}, \"inputs\": "
     "{\"key\": [%" PRIu64 ", %" PRIu64 "]}}"},
    {"jax.split", "jax.split", 32, 0, 1,
     "{\"op\": \"jax.split\", \"attributes\": {\"shape\": [1048576, 1048576]}, \"inputs\": "
     "{\"key\": [%" PRIu64 ", %" PRIu64 "]}}"},
};

struct op_source {
    struct arena arena;
    struct request request;
    struct inference inference;
    const struct op_row *row;
    struct document_source document;
};

static enum error fill(const struct op_source *op, uint64_t first, uint64_t count, void *to,
                       struct diagnostic *diagnostic)
{
    const struct slice slice = {0, 0, first, count, to};
    return variant_fill(&op->request, &op->inference, &slice, 1, diagnostic);
}

static enum error read_words(void *context, uint64_t first, size_t words, uint32_t *to, size_t *got,
                             struct diagnostic *diagnostic)
{
    *got = words;
    return fill(context, first, words, to, diagnostic);
}

static enum error read_packed(void *context, uint64_t first, size_t words, uint32_t *to,
                              size_t *got, struct diagnostic *diagnostic)
{
    const struct op_source *const op = context;
    const unsigned bits = op->row->bits;
    const uint64_t from = first * 32 / bits,
                   before =
                       first * 32 - from * bits; // bits of element `from` that belong to others
    const size_t elements = (size_t)((before + (uint64_t)words * 32 + bits - 1) / bits);
    float *const value = malloc(elements * sizeof *value);
    if (!value)
        return diagnostic_no_memory(diagnostic);
    const enum error error = fill(op, from, elements, value, diagnostic);
    uint64_t held = false;
    unsigned have = 0;
    size_t word = 0;
    for (size_t i = 0; i < elements && !error && word < words; i++) {
        held |= (uint64_t)((uint32_t)(value[i] * (float)(1u << bits)) & ((1u << bits) - 1)) << have;
        have += bits;
        if (i == 0) {
            held >>= before;
            have -= (unsigned)before;
        }
        if (have >= 32) {
            to[word++] = (uint32_t)held;
            held >>= 32;
            have -= 32;
        }
    }
    free(value);
    *got = error ? 0 : word;
    return error;
}

// ---- the functions behind the streams The request ---------------------------
// with other numbers in the place of its key, state or seeds, for each input in turn; a slice of it
// is the output.

struct op_call {
    struct request request;
    const struct inference *inference;
};

static enum error ask(const struct op_call *call, uint64_t first, uint64_t count, void *element,
                      struct diagnostic *diagnostic)
{
    const struct slice slice = {0, 0, first, count, element};
    return variant_fill(&call->request, call->inference, &slice, 1, diagnostic);
}

// The low bits of floats on a grid.
static void take_bits(const float *value, unsigned count, unsigned bits, uint32_t *output)
{
    for (unsigned i = 0; i < count; i++)
        output[i] = (uint32_t)(value[i] * (float)(1u << bits));
}

// DirectML: the state is the counter and the key.
static enum error evaluate_state(const void *context, const uint32_t *input, size_t count,
                                 uint32_t *output, struct diagnostic *diagnostic)
{
    enum { STATE_WORDS = 6 };
    const struct op_source *const op = context;
    struct op_call call = {op->request, &op->inference};
    uint32_t state[STATE_WORDS];
    const int at = operation_input(op->request.operation, "input_state");
    call.request.input[at < 0 ? 0 : at].data = state;
    enum error error = ERROR_NONE;
    for (size_t i = 0; i < count && !error; i++) {
        memcpy(state, input + i * BLOCK_INPUT_MAX, sizeof state);
        error = ask(&call, 0, 4, output + i * BLOCK_OUTPUT_MAX, diagnostic);
    }
    return error;
}

// JAX: the element's number and the key.
static enum error evaluate_key(const void *context, const uint32_t *input, size_t count,
                               uint32_t *output, struct diagnostic *diagnostic)
{
    const struct op_source *const op = context;
    struct op_call call = {op->request, &op->inference};
    uint32_t key[2];
    float value = 0;
    const int at = operation_input(op->request.operation, "key");
    call.request.input[at < 0 ? 0 : at].data = key;
    enum error error = ERROR_NONE;
    for (size_t i = 0; i < count && !error;
         i++, input += BLOCK_INPUT_MAX, output += BLOCK_OUTPUT_MAX) {
        memcpy(key, input + 1, sizeof key);
        if (op->row->bits == 32) {
            error = ask(&call, input[0], 1, output, diagnostic);
        } else {
            error = ask(&call, input[0], 1, &value, diagnostic);
            take_bits(&value, 1, op->row->bits, output);
        }
    }
    return error;
}

// OpenVINO: the number of four elements, op_seed and global_seed.
static enum error evaluate_seeds(const void *context, const uint32_t *input, size_t count,
                                 uint32_t *output, struct diagnostic *diagnostic)
{
    const struct op_source *const op = context;
    struct op_call call = {op->request, &op->inference};
    enum error error = ERROR_NONE;
    for (size_t i = 0; i < count && !error;
         i++, input += BLOCK_INPUT_MAX, output += BLOCK_OUTPUT_MAX) {
        float value[4] = {0};
        call.request.attribute[RANDOM_UNIFORM_OP_SEED].integer =
            (int64_t)(input[1] | (uint64_t)input[2] << 32);
        call.request.attribute[RANDOM_UNIFORM_GLOBAL_SEED].integer =
            (int64_t)(input[3] | (uint64_t)input[4] << 32);
        error = ask(&call, UINT64_C(4) * input[0], 4, value, diagnostic);
        take_bits(value, 4, op->row->bits, output);
    }
    return error;
}

static const char *const state_words[] = {"counter word 0", "counter word 1", "counter word 2",
                                          "counter word 3", "key word 0",     "key word 1"};
static const char *const key_words[] = {"the element's number", "key word 0", "key word 1"};
static const char *const seed_words[] = {"the number of four elements", "op_seed's low half",
                                         "op_seed's high half", "global_seed's low half",
                                         "global_seed's high half"};
static const struct block_function state_function = {.input_words = 6,
                                                     .output_words = 4,
                                                     .counter_words = 4,
                                                     .evaluate_all = evaluate_state,
                                                     .input_name = state_words},
                                   bits_function = {.input_words = 3,
                                                    .output_words = 1,
                                                    .counter_words = 1,
                                                    .evaluate_all = evaluate_key,
                                                    .input_name = key_words},
                                   uniform_function = {.input_words = 3,
                                                       .output_words = 1,
                                                       .counter_words = 1,
                                                       .evaluate_all = evaluate_key,
                                                       .output_bits = 23,
                                                       .input_name = key_words},
                                   seeds_function = {.input_words = 5,
                                                     .output_words = 4,
                                                     .counter_words = 3,
                                                     .evaluate_all = evaluate_seeds,
                                                     .output_bits = 23,
                                                     .input_name = seed_words};

static const struct block_function *function_of(const struct op_row *row)
{
    const struct {
        const char *operation;
        const struct block_function *function;
    } known[] = {{"openvino.random_uniform", &seeds_function},
                 {"directml.random_generator", &state_function},
                 {"jax.bits", &bits_function},
                 {"jax.uniform", &uniform_function},
                 {"jax.split", &tree_jax_path}};
    for (unsigned i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcmp(row->operation, known[i].operation))
            return known[i].function;
    return NULL;
}

static void op_close(void *context)
{
    struct op_source *const op = context;
    arena_release(&op->arena);
    free(op);
}

enum error source_open_operation(struct source *source, const char *name, uint64_t seed,
                                 struct diagnostic *diagnostic)
{
    const struct op_row *row = NULL;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!strcmp(name, rows[i].name))
            row = &rows[i];
    struct nearest nearest = {.asked = name};
    char hint[NEAREST_HINT_SIZE];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        nearest_offer(&nearest, rows[i].name);
    if (!row || !operation_named(row->operation))
        return diagnostic_fail(diagnostic, ERROR_UNSUPPORTED,
                               "'%s' is no operation that gives random words%s", name,
                               nearest_hint(&nearest, hint));
    struct op_source *const op = calloc(1, sizeof *op);
    if (!op)
        return diagnostic_no_memory(diagnostic);
    op->row = row;
    char *const text = arena_take(&op->arena, 1024);
    struct document_node *root = NULL;
    enum error error = text ? ERROR_NONE : diagnostic_no_memory(diagnostic);
    if (!error) {
        _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wformat-nonliteral\"")
            const int size = snprintf(text, 1024, row->request, seed >> 32, seed & UINT32_MAX);
        _Pragma("GCC diagnostic pop") op->document =
            (struct document_source){name, text, (size_t)size, 0};
        error = json_read(&op->document, &op->arena, &root, diagnostic);
    }
    if (!error)
        error = request_read(root, NULL, NULL, &op->arena, &op->request, diagnostic);
    if (!error)
        error = variant_infer(&op->request, &op->inference, diagnostic);
    if (!error && !variant_streams(&op->request))
        error = diagnostic_fail(diagnostic, ERROR_UNSUPPORTED, "'%s' cannot be computed in slices",
                                name);
    if (error) {
        op_close(op);
        return error;
    }
    *source = (struct source){.name = row->name,
                              .random_access = true,
                              .context = op,
                              .read = row->bits == 32 ? read_words : read_packed,
                              .close = op_close,
                              .reach = 39,
                              .seed_bits = 64,
                              .block = function_of(row),
                              .seed_nonzero = row->nonzero};
    if (row->splits)
        source->tree = tree_jax(seed);
    return ERROR_NONE;
}
