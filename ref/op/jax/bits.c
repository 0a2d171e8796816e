// SPDX-License-Identifier: Apache-2.0
// jax.bits: random bits of 8 to 64 bits an element.

#include "ref/op/jax/operation.h"

enum { DTYPE = JAX_OWN_ATTRIBUTES };

static const struct attribute_spec attributes[] = {
    [JAX_IMPL] = JAX_ATTRIBUTE_IMPL,
    [JAX_PARTITIONABLE] = JAX_ATTRIBUTE_PARTITIONABLE,
    [JAX_SHAPE] = JAX_ATTRIBUTE_SHAPE,
    [DTYPE] = JAX_ATTRIBUTE_DTYPE(DTYPE_U32, DTYPES_UNSIGNED),
};

static const struct choice choices[] = {JAX_READING_CHOICES};

static enum dtype plain_dtype(const struct request *request, unsigned input)
{
    (void)request;
    (void)input;
    return DTYPE_U32;
}

static enum error infer(const struct request *request, struct inference *inference,
                        struct diagnostic *diagnostic)
{
    return jax_infer_drawn(request, inference, (enum dtype)request->attribute[DTYPE].integer,
                           diagnostic);
}

static enum error fill(const struct request *request, const struct inference *inference,
                       const struct slice *slice, struct diagnostic *diagnostic)
{
    (void)diagnostic;
    const struct jax_key key = jax_drawing_key(request);
    uint64_t total;
    tensor_count(&inference->output[0], &total);
    jax_bits(&key, 8 * (unsigned)dtype_size(inference->output[0].dtype), total, slice->first,
             slice->count, slice->data);
    return ERROR_NONE;
}

const struct operation jax_bits_operation = {
    .name = "jax.bits",
    .summary = "random bits (jax.random.bits)",
    .attributes = attributes,
    .attribute_count = OPERATION_ROWS(attributes),
    .inputs = (const struct input_spec[]){{.name = "key"}},
    .input_count = 1,
    .outputs = (const char *const[]){"bits", NULL},
    .choices = choices,
    .choice_count = OPERATION_ROWS(choices),
    .plain_dtype = plain_dtype,
    .infer = infer,
    .fill = fill,
};
