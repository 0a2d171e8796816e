// SPDX-License-Identifier: Apache-2.0

#include "ref/op/jax/operation.h"

#include <stdlib.h>

#include "ref/base/bytes.h"

enum error jax_check_key(const struct request *request, struct diagnostic *diagnostic)
{
    const struct tensor *const key = &request->input[JAX_KEY];
    const enum jax_generator generator = (enum jax_generator)request->attribute[JAX_IMPL].integer;
    if (key->dtype == DTYPE_U32 && key->rank == 1 && key->shape[0] == jax_key_words(generator))
        return ERROR_NONE;
    char text[96];
    return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT, "key is %s; a key of %s is u32[%u]",
                           tensor_describe(key, text, sizeof text), jax_generator_names[generator],
                           jax_key_words(generator));
}

struct jax_key jax_request_key(const struct request *request, bool partitionable)
{
    const struct tensor *const tensor = &request->input[JAX_KEY];
    const uint16_t *const option = request->profile.option;
    const struct choice *const rounds = &request->operation->choices[JAX_CHOICE_ROUNDS];
    struct jax_key key = {
        .generator = (enum jax_generator)request->attribute[JAX_IMPL].integer,
        .partitionable = partitionable,
        .reading = {.rounds =
                        option[JAX_CHOICE_ROUNDS]
                            ? (uint8_t)strtoul(rounds->options[option[JAX_CHOICE_ROUNDS]], NULL, 10)
                            : 0,
                    .low_first = option[JAX_CHOICE_COUNTER_ORDER] != 0,
                    .from_one = option[JAX_CHOICE_COUNTER_ORIGIN] != 0,
                    .first_word = option[JAX_CHOICE_NARROW] != 0,
                    .halves_swapped = option[JAX_CHOICE_WIDE] != 0},
    };
    for (unsigned i = 0; i < tensor->shape[0]; i++)
        key.word[i] = (uint32_t)element_load(tensor->data, sizeof *key.word, i);
    return key;
}

struct jax_key jax_drawing_key(const struct request *request)
{
    return jax_request_key(request, request->attribute[JAX_PARTITIONABLE].integer != 0);
}

enum error jax_infer_drawn(const struct request *request, struct inference *inference,
                           enum dtype dtype, struct diagnostic *diagnostic)
{
    const struct attribute_value *const shape = &request->attribute[JAX_SHAPE];
    const enum error error = jax_check_key(request, diagnostic);
    if (error)
        return error;
    inference->output[0].dtype = dtype;
    return operation_set_shape(&inference->output[0], shape->integers, shape->count, "shape",
                               diagnostic);
}

bool jax_is_fused(unsigned option, enum dtype dtype)
{
    enum { TWO_STEP, FUSED, FUSED_F32_F64, FUSED_BUT_BF16 };
    switch (option) {
    case FUSED:
        return true;
    case FUSED_F32_F64:
        return dtype == DTYPE_F32 || dtype == DTYPE_F64;
    case FUSED_BUT_BF16:
        return dtype != DTYPE_BF16;
    default:
        return false;
    }
}

enum error jax_infer_dtype(const struct request *request, struct inference *inference,
                           struct diagnostic *diagnostic)
{
    return jax_infer_drawn(request, inference,
                           (enum dtype)request->attribute[JAX_OWN_ATTRIBUTES].integer, diagnostic);
}

enum dtype jax_plain_i32(const struct request *request, unsigned input)
{
    (void)request;
    return input == JAX_KEY ? DTYPE_U32 : DTYPE_I32;
}

uint64_t jax_total(const struct inference *inference)
{
    uint64_t total = 0;
    tensor_count(&inference->output[0], &total);
    return total;
}
