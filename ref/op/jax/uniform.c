// SPDX-License-Identifier: Apache-2.0
// jax.uniform, and the uniform floats behind the other operations.

#include "ref/op/jax/uniform.h"

#include <math.h>
#include <string.h>

#include "ref/base/bytes.h"
#include "ref/num/small_float.h"
#include "ref/op/jax/operation.h"
#include "ref/rng/threefry_stream.h"

enum { CHUNK = 1024, NARROW_DRAWS_MAX = 1024 };

unsigned jax_uniform_fraction_bits(enum dtype dtype)
{
    switch (dtype) {
    case DTYPE_F16:
        return 10;
    case DTYPE_BF16:
        return 7;
    case DTYPE_F32:
        return 23;
    default:
        return 52;
    }
}

unsigned jax_uniform_draw_bits(enum dtype dtype)
{
    return dtype == DTYPE_BF16 ? 8 : 8 * (unsigned)dtype_size(dtype);
}

struct jax_uniform jax_uniform_unit(const struct jax_key *key, enum dtype dtype, uint64_t total)
{
    return (struct jax_uniform){*key, dtype, total, 0, num_from_double(dtype, 1), false};
}

// ---- from draws to values ---------------------------------------------------

static void values_f32(const struct jax_uniform *uniform, const uint32_t *draw, size_t count,
                       unsigned char *out)
{
    const float minimum = float_from_bits((uint32_t)uniform->minimum),
                maximum = float_from_bits((uint32_t)uniform->maximum);
    const float span = maximum - minimum;
    for (size_t i = 0; i < count; i++) {
        const float u = (float)(int32_t)(draw[i] >> 9) * 0x1p-23F;
        float value = uniform->fused ? fmaf(u, span, minimum) : u * span + minimum;
        if (value < minimum)
            value = minimum;
        if (isnan(value))
            value = float_from_bits(0x7fc00000);
        memcpy(out + i * sizeof value, &value, sizeof value);
    }
}

static void values_f64(const struct jax_uniform *uniform, const uint64_t *draw, size_t count,
                       unsigned char *out)
{
    const double minimum = double_from_bits(uniform->minimum),
                 maximum = double_from_bits(uniform->maximum);
    const double span = maximum - minimum;
    for (size_t i = 0; i < count; i++) {
        const double u = (double)(int64_t)(draw[i] >> 12) * 0x1p-52;
        double value = uniform->fused ? fma(u, span, minimum) : u * span + minimum;
        if (value < minimum)
            value = minimum;
        if (isnan(value))
            value = double_from_bits(UINT64_C(0x7ff8) << 48);
        memcpy(out + i * sizeof value, &value, sizeof value);
    }
}

static uint16_t narrow_value(const struct jax_uniform *uniform, unsigned numerator)
{
    const enum dtype dtype = uniform->dtype;
    const uint64_t u =
        num_from_double(dtype, ldexp(numerator, -(int)jax_uniform_fraction_bits(dtype)));
    const uint64_t span = num_subtract(dtype, uniform->maximum, uniform->minimum);
    const uint64_t value = uniform->fused
                               ? num_fma(dtype, u, span, uniform->minimum)
                               : num_add(dtype, num_multiply(dtype, u, span), uniform->minimum);
    return (uint16_t)(num_less(dtype, value, uniform->minimum) ? uniform->minimum : value);
}

// A 16-bit value depends on at most 10 bits, so long slices go through a table of all of them.
static void values_narrow(const struct jax_uniform *uniform, const void *draw, size_t count,
                          unsigned char *out)
{
    const unsigned width = jax_uniform_draw_bits(uniform->dtype),
                   bits = jax_uniform_fraction_bits(uniform->dtype), numbers = 1U << bits;
    const bool tabled = count >= numbers;
    uint16_t table[NARROW_DRAWS_MAX];
    for (unsigned i = 0; tabled && i < numbers; i++)
        table[i] = narrow_value(uniform, i);
    for (size_t i = 0; i < count; i++) {
        const unsigned numerator = (unsigned)(element_load(draw, width / 8, i) >> (width - bits));
        element_store(out, 2, i, tabled ? table[numerator] : narrow_value(uniform, numerator));
    }
}

void jax_uniform_values(const struct jax_uniform *uniform, const void *draw, size_t count,
                        void *out)
{
    if (uniform->dtype == DTYPE_F32)
        values_f32(uniform, draw, count, out);
    else if (uniform->dtype == DTYPE_F64)
        values_f64(uniform, draw, count, out);
    else
        values_narrow(uniform, draw, count, out);
}

static bool is_unit_f32_of_threefry(const struct jax_uniform *uniform)
{
    static const struct jax_reading plain;
    const struct jax_key *const key = &uniform->key;
    return uniform->dtype == DTYPE_F32 && !uniform->minimum && uniform->maximum == 0x3f800000 &&
           key->partitionable && key->generator == JAX_THREEFRY2X32 &&
           !memcmp(&key->reading, &plain, sizeof plain);
}

void jax_uniform_fill(const struct jax_uniform *uniform, uint64_t first, size_t count, void *out)
{
    if (is_unit_f32_of_threefry(uniform)) {
        threefry_fill(THREEFRY_UNIT_F32, uniform->key.word, first, count, out);
        return;
    }
    const size_t size = dtype_size(uniform->dtype);
    for (size_t done = 0; done < count;) {
        uint64_t draw[CHUNK];
        const size_t now = count - done < CHUNK ? count - done : CHUNK;
        unsigned char *const at = (unsigned char *)out + done * size;
        jax_bits(&uniform->key, jax_uniform_draw_bits(uniform->dtype), uniform->total, first + done,
                 now, draw);
        jax_uniform_values(uniform, draw, now, at);
        done += now;
    }
}

// ---- the operation ----------------------------------------------------------

enum { DTYPE = JAX_OWN_ATTRIBUTES };

static const struct attribute_spec attributes[] = {
    JAX_DRAWING_ATTRIBUTES,
    [DTYPE] = JAX_ATTRIBUTE_DTYPE(DTYPE_F32, DTYPES_FLOAT),
};

enum { MINVAL = 1, MAXVAL };

static const struct input_spec inputs[] = {
    {.name = "key"}, {.name = "minval", .optional = true}, {.name = "maxval", .optional = true}};

enum { ROUNDING = JAX_CHOICES };

static const struct choice choices[] = {
    JAX_READING_CHOICES,
    [ROUNDING] = JAX_ROUNDING_CHOICE,
};

static enum dtype plain_dtype(const struct request *request, unsigned input)
{
    return input == JAX_KEY ? DTYPE_U32 : (enum dtype)request->attribute[DTYPE].integer;
}

static enum error infer(const struct request *request, struct inference *inference,
                        struct diagnostic *diagnostic)
{
    const enum dtype dtype = (enum dtype)request->attribute[DTYPE].integer;
    enum error error = jax_infer_drawn(request, inference, dtype, diagnostic);
    for (unsigned input = MINVAL; input <= MAXVAL && !error; input++) {
        inference->own.word[input] = num_from_double(dtype, input == MAXVAL);
        if (!tensor_present(&request->input[input]))
            continue;
        error = operation_check_dtype(request, input, DTYPE_BIT(dtype), diagnostic);
        if (!error)
            error = operation_check_scalar(request, input, false, diagnostic);
        if (!error)
            inference->own.word[input] =
                element_load(request->input[input].data, dtype_size(dtype), 0);
    }
    return error;
}

static enum error fill(const struct request *request, const struct inference *inference,
                       const struct slice *slice, struct diagnostic *diagnostic)
{
    (void)diagnostic;
    struct jax_uniform uniform = {
        jax_drawing_key(request),
        inference->output[0].dtype,
        jax_total(inference),
        inference->own.word[MINVAL],
        inference->own.word[MAXVAL],
        jax_is_fused(request->profile.option[ROUNDING], inference->output[0].dtype)};
    jax_uniform_fill(&uniform, slice->first, slice->count, slice->data);
    return ERROR_NONE;
}

const struct operation jax_uniform_operation = {
    .name = "jax.uniform",
    .summary = "uniform floats in [minval, maxval) (jax.random.uniform)",
    OPERATION_ATTRIBUTES(attributes),
    OPERATION_INPUTS(inputs),
    .outputs = OPERATION_WORDS("output"),
    OPERATION_CHOICES(choices),
    .plain_dtype = plain_dtype,
    .infer = infer,
    .fill = fill,
};
