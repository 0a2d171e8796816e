// SPDX-License-Identifier: Apache-2.0
// jax.bernoulli: true with probability p; jax.rademacher: 1 or -1 with equal probability.

#include "ref/op/jax/bernoulli.h"

#include <math.h>

#include "ref/base/bytes.h"
#include "ref/num/small_float.h"
#include "ref/op/jax/operation.h"
#include "ref/op/jax/uniform.h"

enum { CHUNK = 512 };

// In mode high the draws have the shape (2, ...): all first ones, then all second ones. p - u is a
// node of the type; v times a power of two is exact in double, subnormals of the type too.
static bool falls_below(const struct jax_bernoulli *bernoulli, uint64_t u, uint64_t v)
{
    const enum dtype dtype = bernoulli->dtype;
    if (!bernoulli->high)
        return num_less(dtype, u, bernoulli->p);
    const double finer = ldexp(num_to_double(dtype, v), -(int)jax_uniform_fraction_bits(dtype));
    return finer < num_to_double(dtype, num_subtract(dtype, bernoulli->p, u));
}

void jax_bernoulli_fill(const struct jax_bernoulli *bernoulli, uint64_t first, size_t count,
                        unsigned char *out)
{
    const size_t size = dtype_size(bernoulli->dtype);
    const struct jax_uniform uniform =
        jax_uniform_unit(&bernoulli->key, bernoulli->dtype,
                         bernoulli->high ? 2 * bernoulli->total : bernoulli->total);
    for (size_t done = 0; done < count;) {
        uint64_t u[CHUNK], v[CHUNK];
        const size_t now = count - done < CHUNK ? count - done : CHUNK;
        jax_uniform_fill(&uniform, first + done, now, u);
        if (bernoulli->high)
            jax_uniform_fill(&uniform, bernoulli->total + first + done, now, v);
        for (size_t i = 0; i < now; i++)
            out[done + i] = falls_below(bernoulli, element_load(u, size, i),
                                        bernoulli->high ? element_load(v, size, i) : 0)
                                ? 1
                                : 0;
        done += now;
    }
}

static const struct choice choices[] = {JAX_READING_CHOICES};

// ---- jax.bernoulli ----------------------------------------------------------

enum { MODE = JAX_OWN_ATTRIBUTES, P_DTYPE };

static const struct attribute_spec attributes[] = {
    JAX_DRAWING_ATTRIBUTES,
    [MODE] = ATTRIBUTE("mode", WORD, DEFAULT, .words = OPERATION_WORDS("low", "high")),
    [P_DTYPE] = ATTRIBUTE("p_dtype", DTYPE, DEFAULT, .standard = DTYPE_F32, .dtypes = DTYPES_FLOAT),
};

enum { P = 1 };

static enum dtype plain_dtype(const struct request *request, unsigned input)
{
    return input == JAX_KEY ? DTYPE_U32 : (enum dtype)request->attribute[P_DTYPE].integer;
}

static enum error infer(const struct request *request, struct inference *inference,
                        struct diagnostic *diagnostic)
{
    const enum dtype dtype = (enum dtype)request->attribute[P_DTYPE].integer;
    enum error error = jax_infer_drawn(request, inference, DTYPE_BOOL, diagnostic);
    if (!error)
        error = operation_check_dtype(request, P, DTYPE_BIT(dtype), diagnostic);
    if (!error)
        error = operation_check_scalar(request, P, false, diagnostic);
    uint64_t total = 0;
    if (!error && request->attribute[MODE].integer && tensor_count(&inference->output[0], &total) &&
        total > INT64_MAX / 2)
        error = diagnostic_fail(diagnostic, ERROR_TOO_LARGE,
                                "mode high draws twice as many as 2^63 - 1 numbers");
    return error;
}

static enum error fill(const struct request *request, const struct inference *inference,
                       const struct slice *slice, struct diagnostic *diagnostic)
{
    (void)diagnostic;
    struct jax_bernoulli bernoulli = {.key = jax_drawing_key(request),
                                      .dtype = (enum dtype)request->attribute[P_DTYPE].integer,
                                      .high = request->attribute[MODE].integer != 0,
                                      .total = jax_total(inference)};
    bernoulli.p = element_load(request->input[P].data, dtype_size(bernoulli.dtype), 0);
    jax_bernoulli_fill(&bernoulli, slice->first, slice->count, slice->data);
    return ERROR_NONE;
}

const struct operation jax_bernoulli_operation = {
    .name = "jax.bernoulli",
    .summary = "true with probability p (jax.random.bernoulli)",
    OPERATION_ATTRIBUTES(attributes),
    OPERATION_INPUT_ROWS({.name = "key"}, {.name = "p"}),
    .outputs = OPERATION_WORDS("output"),
    OPERATION_CHOICES(choices),
    .plain_dtype = plain_dtype,
    .infer = infer,
    .fill = fill,
};

// ---- jax.rademacher ---------------------------------------------------------

enum { DTYPE = JAX_OWN_ATTRIBUTES };

static const struct attribute_spec rademacher_attributes[] = {
    JAX_DRAWING_ATTRIBUTES,
    [DTYPE] = JAX_ATTRIBUTE_DTYPE(DTYPE_I32, DTYPES_SIGNED | DTYPES_FLOAT),
};

static enum error rademacher_fill(const struct request *request, const struct inference *inference,
                                  const struct slice *slice, struct diagnostic *diagnostic)
{
    (void)diagnostic;
    const enum dtype dtype = inference->output[0].dtype;
    const enum dtype real = dtype_size(dtype) == 8
                                ? DTYPE_F64
                                : DTYPE_F32; // what jax has for 0.5 when it has the dtype at all
    struct jax_bernoulli coin = {.key = jax_drawing_key(request),
                                 .dtype = real,
                                 .p = num_from_double(real, 0.5),
                                 .total = jax_total(inference)};
    const uint64_t side[2] = {num_convert(dtype, DTYPE_I8, 0xff, NUM_NEAREST_EVEN, NUM_IEEE),
                              num_convert(dtype, DTYPE_I8, 1, NUM_NEAREST_EVEN, NUM_IEEE)};
    for (uint64_t done = 0; done < slice->count;) {
        unsigned char thrown[CHUNK];
        const size_t now = slice->count - done < CHUNK ? (size_t)(slice->count - done) : CHUNK;
        jax_bernoulli_fill(&coin, slice->first + done, now, thrown);
        for (size_t i = 0; i < now; i++)
            element_store(slice->data, dtype_size(dtype), done + i, side[thrown[i]]);
        done += now;
    }
    return ERROR_NONE;
}

const struct operation jax_rademacher_operation = {
    .name = "jax.rademacher",
    .summary = "1 or -1 (jax.random.rademacher)",
    OPERATION_ATTRIBUTES(rademacher_attributes),
    OPERATION_INPUT_ROWS({.name = "key"}),
    .outputs = OPERATION_WORDS("output"),
    OPERATION_CHOICES(choices),
    .plain_dtype = operation_plain_u32,
    .infer = jax_infer_dtype,
    .fill = rademacher_fill,
};
