// SPDX-License-Identifier: Apache-2.0
// jax.randint: integers from minval up to and without maxval.

#include "ref/op/jax/randint.h"

#include "ref/base/bytes.h"
#include "ref/op/jax/operation.h"

enum { CHUNK = 512 };

static uint64_t in_width(unsigned width, uint64_t value)
{
    return width == 64 ? value : value & UINT32_MAX;
}

static uint64_t remainder_of(uint64_t value, uint64_t span)
{
    return span ? value % span : value;
}

static jax_bound clip(jax_bound value, jax_bound least, jax_bound most)
{
    return value < least ? least : value > most ? most : value;
}

// Types below 32 bits are drawn as i32, with a maximum that may be one beyond the type.
struct jax_randint jax_randint_start(const struct jax_key *key, enum dtype dtype, uint64_t total,
                                     jax_bound minimum, jax_bound maximum)
{
    const size_t size = dtype_size(dtype);
    const unsigned bits = 8 * (unsigned)size, width = bits < 32 ? 32 : bits;
    const bool is_signed = dtype_kind(dtype) == DTYPE_KIND_SIGNED;
    const jax_bound one = 1, most = (one << (bits - is_signed)) - 1,
                    least = is_signed ? -most - 1 : 0;
    const jax_bound beyond = bits < 32 ? 1 : 0;
    const bool out_of_range = !beyond && maximum > most;
    minimum = clip(minimum, least, most);
    maximum = clip(maximum, least, most + beyond);
    struct jax_randint randint = {.high = jax_split(key, 2, 0),
                                  .low = jax_split(key, 2, 1),
                                  .width = width,
                                  .size = size,
                                  .total = total};
    randint.minimum = (uint64_t)minimum;
    randint.span =
        maximum <= minimum ? 1 : in_width(width, (uint64_t)(maximum - minimum) + out_of_range);
    const uint64_t half = remainder_of(UINT64_C(1) << width / 2, randint.span);
    randint.multiplier = remainder_of(in_width(width, half * half), randint.span);
    return randint;
}

void jax_randint_fill(const struct jax_randint *randint, uint64_t first, size_t count, void *out)
{
    for (size_t done = 0; done < count;) {
        uint64_t high[CHUNK], low[CHUNK];
        const size_t now = count - done < CHUNK ? count - done : CHUNK, size = randint->width / 8;
        jax_bits(&randint->high, randint->width, randint->total, first + done, now, high);
        jax_bits(&randint->low, randint->width, randint->total, first + done, now, low);
        for (size_t i = 0; i < now; i++) {
            const uint64_t h = remainder_of(element_load(high, size, i), randint->span);
            const uint64_t l = remainder_of(element_load(low, size, i), randint->span);
            const uint64_t sum = in_width(randint->width, h * randint->multiplier + l);
            element_store(out, randint->size, done + i,
                          randint->minimum + remainder_of(sum, randint->span));
        }
        done += now;
    }
}

// ---- the operation ----------------------------------------------------------

enum { X64 = JAX_OWN_ATTRIBUTES, DTYPE };

static const struct attribute_spec attributes[] = {
    JAX_DRAWING_ATTRIBUTES,
    [X64] = JAX_ATTRIBUTE_X64,
    [DTYPE] = JAX_ATTRIBUTE_DTYPE(DTYPE_I32, DTYPES_INTEGER),
};

enum { MINVAL = 1, MAXVAL };

static const struct choice choices[] = {JAX_READING_CHOICES};

static enum dtype plain_dtype(const struct request *request, unsigned input)
{
    if (input == JAX_KEY)
        return DTYPE_U32;
    return request->attribute[DTYPE].integer == DTYPE_U64 ? DTYPE_U64 : DTYPE_I64;
}

static enum error infer(const struct request *request, struct inference *inference,
                        struct diagnostic *diagnostic)
{
    const enum dtype dtype = (enum dtype)request->attribute[DTYPE].integer;
    enum error error = jax_infer_drawn(request, inference, dtype, diagnostic);
    for (unsigned input = MINVAL; input <= MAXVAL && !error; input++) {
        error = operation_check_dtype(request, input, DTYPES_INTEGER, diagnostic);
        if (!error)
            error = operation_check_scalar(request, input, false, diagnostic);
    }
    if (!error && dtype_size(dtype) == 8 && !request->attribute[X64].integer)
        error = diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT, "dtype %s needs x64",
                                dtype_name(dtype));
    return error;
}

static jax_bound bound_of(const struct tensor *tensor)
{
    const int64_t value = operation_load_integer(tensor, 0);
    return tensor->dtype == DTYPE_U64 ? (jax_bound)(uint64_t)value : (jax_bound)value;
}

static enum error fill(const struct request *request, const struct inference *inference,
                       const struct slice *slice, struct diagnostic *diagnostic)
{
    (void)diagnostic;
    const struct jax_key key = jax_drawing_key(request);
    const struct jax_randint randint =
        jax_randint_start(&key, inference->output[0].dtype, jax_total(inference),
                          bound_of(&request->input[MINVAL]), bound_of(&request->input[MAXVAL]));
    jax_randint_fill(&randint, slice->first, slice->count, slice->data);
    return ERROR_NONE;
}

const struct operation jax_randint_operation = {
    .name = "jax.randint",
    .summary = "integers in [minval, maxval) (jax.random.randint)",
    OPERATION_ATTRIBUTES(attributes),
    OPERATION_INPUT_ROWS({.name = "key"}, {.name = "minval"}, {.name = "maxval"}),
    .outputs = OPERATION_WORDS("output"),
    OPERATION_CHOICES(choices),
    .plain_dtype = plain_dtype,
    .infer = infer,
    .fill = fill,
};
