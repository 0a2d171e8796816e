// SPDX-License-Identifier: Apache-2.0
// jax.bits: random bits of 8 to 64 bits an element.

#include "ref/op/jax/operation.h"

enum { DTYPE = JAX_OWN_ATTRIBUTES };

static const struct attribute_spec attributes[] = {
    JAX_DRAWING_ATTRIBUTES,
    [DTYPE] = JAX_ATTRIBUTE_DTYPE(DTYPE_U32, DTYPES_UNSIGNED),
};

static const struct choice choices[] = {JAX_READING_CHOICES};

static enum error fill(const struct request *request, const struct inference *inference,
                       const struct slice *slice, struct diagnostic *diagnostic)
{
    (void)diagnostic;
    const struct jax_key key = jax_drawing_key(request);
    jax_bits(&key, 8 * (unsigned)dtype_size(inference->output[0].dtype), jax_total(inference),
             slice->first, slice->count, slice->data);
    return ERROR_NONE;
}

const struct operation jax_bits_operation = {
    .name = "jax.bits",
    .summary = "random bits (jax.random.bits)",
    OPERATION_ATTRIBUTES(attributes),
    OPERATION_INPUT_ROWS({.name = "key"}),
    .outputs = OPERATION_WORDS("bits"),
    OPERATION_CHOICES(choices),
    .plain_dtype = operation_plain_u32,
    .infer = jax_infer_dtype,
    .fill = fill,
};
