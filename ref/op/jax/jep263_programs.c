// SPDX-License-Identifier: Apache-2.0
// jep263.foo and jep263.dropout: two programs of JEP 263, with jax's own split, uniform and
// bernoulli.
//
// foo splits its key for bar and baz, whose draws it adds; the order in which the two are called
// has no say. dropout keeps each input with probability `rate` and divides it by `rate`, as the
// text writes it; its name for the number suggests the opposite (choice dropout_rate).

#include <math.h>

#include "ref/base/bytes.h"
#include "ref/num/small_float.h"
#include "ref/op/jax/bernoulli.h"
#include "ref/op/jax/operation.h"
#include "ref/op/jax/uniform.h"

enum { CHUNK = 512 };

static enum dtype plain_dtype(const struct request *request, unsigned input)
{
    (void)request;
    return input == JAX_KEY ? DTYPE_U32 : DTYPE_F32;
}

// ---- jep263.foo -------------------------------------------------------------

enum { ORDER = JAX_OWN_ATTRIBUTES };

static const struct attribute_spec foo_attributes[] = {
    JAX_DRAWING_ATTRIBUTES,
    [ORDER] = ATTRIBUTE("order", WORD, DEFAULT, .words = OPERATION_WORDS("bar_first", "baz_first")),
};

static const struct choice foo_choices[] = {JAX_READING_CHOICES};

static enum error foo_infer(const struct request *request, struct inference *inference,
                            struct diagnostic *diagnostic)
{
    return jax_infer_drawn(request, inference, DTYPE_F32, diagnostic);
}

static enum error foo_fill(const struct request *request, const struct inference *inference,
                           const struct slice *slice, struct diagnostic *diagnostic)
{
    (void)diagnostic;
    const struct jax_key key = jax_drawing_key(request);
    uint64_t total;
    tensor_count(&inference->output[0], &total);
    for (uint64_t done = 0; done < slice->count;) {
        uint32_t drawn[2][CHUNK];
        const size_t now = slice->count - done < CHUNK ? (size_t)(slice->count - done) : CHUNK;
        for (unsigned i = 0; i < 2; i++) {
            const struct jax_key child = jax_split(&key, 2, i);
            const struct jax_uniform uniform = jax_uniform_unit(&child, DTYPE_F32, total);
            jax_uniform_fill(&uniform, slice->first + done, now, drawn[i]);
        }
        for (size_t i = 0; i < now; i++)
            element_store(slice->data, 4, done + i, num_add(DTYPE_F32, drawn[0][i], drawn[1][i]));
        done += now;
    }
    return ERROR_NONE;
}

const struct operation jep263_foo_operation = {
    .name = "jep263.foo",
    .summary = "bar and baz of a split key, added (a program of JEP 263)",
    OPERATION_ATTRIBUTES(foo_attributes),
    OPERATION_INPUT_ROWS({.name = "key"}),
    .outputs = OPERATION_WORDS("output"),
    OPERATION_CHOICES(foo_choices),
    .plain_dtype = plain_dtype,
    .infer = foo_infer,
    .fill = foo_fill,
};

// ---- jep263.dropout ---------------------------------------------------------

enum { IMPL, PARTITIONABLE, MODE };

static const struct attribute_spec dropout_attributes[] = {
    [IMPL] = JAX_ATTRIBUTE_IMPL,
    [PARTITIONABLE] = JAX_ATTRIBUTE_PARTITIONABLE,
    [MODE] = ATTRIBUTE("mode", WORD, DEFAULT, .words = OPERATION_WORDS("train", "test")),
};

enum { RATE = 1, INPUTS };

enum { DROPOUT_RATE = JAX_CHOICES, DROPOUT_DIVISION };

static const struct choice dropout_choices[] = {
    JAX_READING_CHOICES,
    [DROPOUT_RATE] = {"dropout_rate", OPERATION_WORDS("kept", "dropped")},
    [DROPOUT_DIVISION] = {"dropout_division", OPERATION_WORDS("quotient", "reciprocal")},
};

static enum error dropout_infer(const struct request *request, struct inference *inference,
                                struct diagnostic *diagnostic)
{
    enum error error = jax_check_key(request, diagnostic);
    for (unsigned i = RATE; i <= INPUTS && !error; i++)
        error = operation_check_dtype(request, i, DTYPE_BIT(DTYPE_F32), diagnostic);
    if (!error)
        error = operation_check_scalar(request, RATE, false, diagnostic);
    inference->output[0] = request->input[INPUTS];
    inference->output[0].data = NULL;
    return error;
}

static uint64_t divide(uint64_t x, uint64_t rate, bool by_reciprocal)
{
    const float a = float_from_bits((uint32_t)x), b = float_from_bits((uint32_t)rate);
    const float quotient = by_reciprocal ? a * (1 / b) : a / b;
    return isnan(quotient) ? 0x7fc00000 : float_bits(quotient);
}

static enum error dropout_fill(const struct request *request, const struct inference *inference,
                               const struct slice *slice, struct diagnostic *diagnostic)
{
    (void)diagnostic;
    const bool test = request->attribute[MODE].integer != 0;
    const uint64_t given = element_load(request->input[RATE].data, 4, 0);
    const uint64_t rate = request->profile.option[DROPOUT_RATE]
                              ? num_subtract(DTYPE_F32, num_from_double(DTYPE_F32, 1), given)
                              : given;
    const bool by_reciprocal = request->profile.option[DROPOUT_DIVISION];
    struct jax_bernoulli keep = {
        .key = jax_request_key(request, request->attribute[PARTITIONABLE].integer != 0),
        .dtype = DTYPE_F32,
        .p = rate};
    tensor_count(&inference->output[0], &keep.total);
    for (uint64_t done = 0; done < slice->count;) {
        unsigned char kept[CHUNK];
        const size_t now = slice->count - done < CHUNK ? (size_t)(slice->count - done) : CHUNK;
        if (!test)
            jax_bernoulli_fill(&keep, slice->first + done, now, kept);
        for (size_t i = 0; i < now; i++) {
            const uint64_t x =
                element_load(request->input[INPUTS].data, 4, slice->first + done + i);
            element_store(slice->data, 4, done + i,
                          test      ? x
                          : kept[i] ? divide(x, rate, by_reciprocal)
                                    : 0);
        }
        done += now;
    }
    return ERROR_NONE;
}

const struct operation jep263_dropout_operation = {
    .name = "jep263.dropout",
    .summary = "inputs kept with probability rate, and divided by it (a program of JEP 263)",
    OPERATION_ATTRIBUTES(dropout_attributes),
    OPERATION_INPUT_ROWS({.name = "key"}, {.name = "rate"}, {.name = "inputs"}),
    .outputs = OPERATION_WORDS("output"),
    OPERATION_CHOICES(dropout_choices),
    .plain_dtype = plain_dtype,
    .infer = dropout_infer,
    .fill = dropout_fill,
};
