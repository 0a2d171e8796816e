// SPDX-License-Identifier: Apache-2.0
// jax.key, jax.split, jax.fold_in: keys from a seed, from a key and an index, from a key and a
// number.

#include <string.h>

#include "ref/op/jax/operation.h"

static enum dtype seed_dtype(const struct request *request, unsigned input)
{
    (void)request;
    (void)input;
    return DTYPE_I64;
}

// ---- jax.key ----------------------------------------------------------------

enum { KEY_X64 = 1 };

static const struct attribute_spec key_attributes[] = {
    [JAX_IMPL] = JAX_ATTRIBUTE_IMPL, [KEY_X64] = JAX_ATTRIBUTE_X64};

static enum error key_infer(const struct request *request, struct inference *inference,
                            struct diagnostic *diagnostic)
{
    enum error error = operation_check_dtype(request, 0, DTYPES_INTEGER, diagnostic);
    if (!error)
        error = operation_check_scalar(request, 0, false, diagnostic);
    inference->output[0] = (struct tensor){
        .dtype = DTYPE_U32,
        .rank = 1,
        .shape = {jax_key_words((enum jax_generator)request->attribute[JAX_IMPL].integer)}};
    return error;
}

// A seed of up to 32 bits is extended to 32 with its sign, and the 32 bits above are zero; so is a
// wider one without x64.
static enum error key_fill(const struct request *request, const struct inference *inference,
                           const struct slice *slice, struct diagnostic *diagnostic)
{
    (void)inference;
    (void)diagnostic;
    const uint64_t seed = (uint64_t)operation_load_integer(&request->input[0], 0);
    const bool wide =
        dtype_size(request->input[0].dtype) == 8 && request->attribute[KEY_X64].integer;
    struct jax_key key = {.generator = (enum jax_generator)request->attribute[JAX_IMPL].integer};
    jax_seed(&key, wide ? seed : (uint32_t)seed);
    memcpy(slice->data, key.word + slice->first, slice->count * sizeof *key.word);
    return ERROR_NONE;
}

const struct operation jax_key_operation = {
    .name = "jax.key",
    .summary = "the key of a seed (jax.random.key)",
    OPERATION_ATTRIBUTES(key_attributes),
    OPERATION_INPUT_ROWS({.name = "seed"}),
    .outputs = OPERATION_WORDS("key"),
    .plain_dtype = seed_dtype,
    .infer = key_infer,
    .fill = key_fill,
};

// ---- jax.split --------------------------------------------------------------

static const struct attribute_spec split_attributes[] = {
    [JAX_IMPL] = JAX_ATTRIBUTE_IMPL,
    [JAX_PARTITIONABLE] = JAX_ATTRIBUTE_PARTITIONABLE,
    [JAX_SHAPE] = ATTRIBUTE("shape", SIZES, DEFAULT, .standard = 2),
};

static const struct choice key_choices[] = {JAX_READING_CHOICES};

static enum error split_infer(const struct request *request, struct inference *inference,
                              struct diagnostic *diagnostic)
{
    struct tensor *const keys = &inference->output[0];
    enum error error = jax_infer_drawn(request, inference, DTYPE_U32, diagnostic);
    if (error)
        return error;
    tensor_count(keys, &inference->own.word[0]);
    const enum jax_generator generator = (enum jax_generator)request->attribute[JAX_IMPL].integer;
    const bool threefry = generator == JAX_THREEFRY2X32 || generator == JAX_RBG;
    if (!request->attribute[JAX_PARTITIONABLE].integer && threefry &&
        inference->own.word[0] > INT32_MAX)
        return diagnostic_fail(
            diagnostic, ERROR_TOO_LARGE,
            "the original form counts its words in 32 bits; it splits into at most 2^31 - 1 keys");
    if (keys->rank == TENSOR_RANK_MAX)
        return diagnostic_fail(diagnostic, ERROR_TOO_LARGE,
                               "shape has %u dimensions; at most %d are supported", keys->rank,
                               TENSOR_RANK_MAX - 1);
    keys->shape[keys->rank++] = request->input[JAX_KEY].shape[0];
    uint64_t words;
    if (!tensor_count(keys, &words) || words > INT64_MAX)
        return diagnostic_fail(diagnostic, ERROR_TOO_LARGE,
                               "shape asks for more than 2^63 - 1 words");
    return ERROR_NONE;
}

static enum error split_fill(const struct request *request, const struct inference *inference,
                             const struct slice *slice, struct diagnostic *diagnostic)
{
    (void)diagnostic;
    const struct jax_key key = jax_drawing_key(request);
    const uint64_t words = request->input[JAX_KEY].shape[0];
    uint32_t *const out = slice->data;
    for (uint64_t done = 0; done < slice->count;) {
        const uint64_t at = slice->first + done;
        const struct jax_key child = jax_split(&key, inference->own.word[0], at / words);
        for (uint64_t i = at % words; i < words && done < slice->count; i++)
            out[done++] = child.word[i];
    }
    return ERROR_NONE;
}

const struct operation jax_split_operation = {
    .name = "jax.split",
    .summary = "keys made from one (jax.random.split)",
    OPERATION_ATTRIBUTES(split_attributes),
    OPERATION_INPUT_ROWS({.name = "key"}),
    .outputs = OPERATION_WORDS("keys"),
    OPERATION_CHOICES(key_choices),
    .plain_dtype = operation_plain_u32,
    .infer = split_infer,
    .fill = split_fill,
};

// ---- jax.fold_in ------------------------------------------------------------

enum { DATA = 1 };

static const struct attribute_spec fold_in_attributes[] = {[JAX_IMPL] = JAX_ATTRIBUTE_IMPL};

static enum error fold_in_infer(const struct request *request, struct inference *inference,
                                struct diagnostic *diagnostic)
{
    enum error error = jax_check_key(request, diagnostic);
    if (!error)
        error = operation_check_dtype(request, DATA, DTYPES_INTEGER, diagnostic);
    if (!error)
        error = operation_check_scalar(request, DATA, false, diagnostic);
    inference->output[0] = request->input[JAX_KEY];
    inference->output[0].data = NULL;
    return error;
}

static enum error fold_in_fill(const struct request *request, const struct inference *inference,
                               const struct slice *slice, struct diagnostic *diagnostic)
{
    (void)inference;
    (void)diagnostic;
    const struct jax_key key = jax_request_key(request, true);
    const struct jax_key folded =
        jax_fold_in(&key, (uint32_t)operation_load_integer(&request->input[DATA], 0));
    memcpy(slice->data, folded.word + slice->first, slice->count * sizeof *folded.word);
    return ERROR_NONE;
}

const struct operation jax_fold_in_operation = {
    .name = "jax.fold_in",
    .summary = "a key made from a key and a number (jax.random.fold_in)",
    OPERATION_ATTRIBUTES(fold_in_attributes),
    OPERATION_INPUT_ROWS({.name = "key"}, {.name = "data"}),
    .outputs = OPERATION_WORDS("key"),
    OPERATION_CHOICES(key_choices),
    .plain_dtype = operation_plain_u32,
    .infer = fold_in_infer,
    .fill = fold_in_fill,
};
