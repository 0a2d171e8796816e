// SPDX-License-Identifier: Apache-2.0
// tensorflow.stateless_* and torch.stateless_*: arrays from a key alone, of words, of floats and of
// integers in a range.
//
// TensorFlow (tf.random.stateless_uniform, alg philox) scrambles its seed by one block of Philox
// into a key and the upper half of a counter. PyTorch (torch.func._random) takes the key's first
// word as the Philox key and its second as the block number.

#include "ref/op/words/cousin.h"

#include "ref/rng/philox.h"

enum { SHAPE, DTYPE };

#define DTYPES_OF_BITS (DTYPE_BIT(DTYPE_U32) | DTYPE_BIT(DTYPE_U64))

static const struct attribute_spec bits_attributes[] = {
    [SHAPE] = COUSIN_ATTRIBUTE_SHAPE,
    [DTYPE] = {.name = "dtype",
               .kind = ATTRIBUTE_DTYPE,
               .presence = ATTRIBUTE_DEFAULT,
               .standard = DTYPE_U32,
               .dtypes = DTYPES_OF_BITS},
};

static const struct attribute_spec uniform_attributes[] = {
    [SHAPE] = COUSIN_ATTRIBUTE_SHAPE,
    [DTYPE] = {.name = "dtype",
               .kind = ATTRIBUTE_DTYPE,
               .presence = ATTRIBUTE_DEFAULT,
               .standard = DTYPE_F32,
               .dtypes = DTYPES_FLOAT | DTYPE_BIT(DTYPE_I32) | DTYPE_BIT(DTYPE_I64)},
};

enum { KEY, MINVAL, MAXVAL };

static const struct choice choices[] = {COUSIN_MAPPING_CHOICES, COUSIN_ROUNDING_CHOICE};

static enum error infer(const struct request *request, struct inference *inference,
                        enum dtype key_dtype, struct diagnostic *diagnostic)
{
    const struct attribute_value *const shape = &request->attribute[SHAPE];
    const enum error error = cousin_check_input(request, KEY, key_dtype, 2, diagnostic);
    if (error)
        return error;
    inference->output[0].dtype = (enum dtype)request->attribute[DTYPE].integer;
    return operation_set_shape(&inference->output[0], shape->integers, shape->count, "shape",
                               diagnostic);
}

static enum error infer_uniform(const struct request *request, struct inference *inference,
                                enum dtype key_dtype, struct diagnostic *diagnostic)
{
    struct cousin_range range;
    const enum error error = infer(request, inference, key_dtype, diagnostic);
    return error
               ? error
               : cousin_read_range(request, MINVAL, inference->output[0].dtype, &range, diagnostic);
}

static enum error fill(const struct request *request, enum mapping_system system,
                       const struct word_source *source, const struct inference *inference,
                       const struct slice *slice, struct diagnostic *diagnostic)
{
    const enum dtype dtype = inference->output[0].dtype;
    struct cousin_range range;
    if (request->operation->input_count <= MINVAL) {
        cousin_fill(request, system, dtype, *source, 0, NULL, slice);
        return ERROR_NONE;
    }
    const enum error error = cousin_read_range(request, MINVAL, dtype, &range, diagnostic);
    if (!error)
        cousin_fill(request, system, dtype, *source, 0, &range, slice);
    return error;
}

#define OUTPUTS (OPERATION_WORDS("output"))

// ---- TensorFlow -------------------------------------------------------------

static enum dtype tensorflow_plain_dtype(const struct request *request, unsigned input)
{
    return input == KEY ? DTYPE_I64 : (enum dtype)request->attribute[DTYPE].integer;
}

// The scrambling key is a constant of TensorFlow's.
static struct word_source tensorflow_source(const struct request *request)
{
    const uint64_t seed[2] = {cousin_load(request, KEY, 0), cousin_load(request, KEY, 1)};
    const struct philox_counter at = {
        {(uint32_t)seed[0], seed[0] >> 32, (uint32_t)seed[1], seed[1] >> 32}};
    const struct philox_key under = {{0x3ec8f720, 0x02461e29}};
    const struct philox_counter mixed = philox_block(&philox4x32, at, under, PHILOX_ROUNDS);
    return (struct word_source){.generator = WORDS_PHILOX4X32,
                                .key = {mixed.word[0], mixed.word[1]},
                                .counter = {0, 0, mixed.word[2], mixed.word[3]},
                                .carry_words = 4};
}

static enum error tensorflow_infer_bits(const struct request *request, struct inference *inference,
                                        struct diagnostic *diagnostic)
{
    return infer(request, inference, DTYPE_I64, diagnostic);
}

static enum error tensorflow_infer_uniform(const struct request *request,
                                           struct inference *inference,
                                           struct diagnostic *diagnostic)
{
    return infer_uniform(request, inference, DTYPE_I64, diagnostic);
}

static enum error tensorflow_fill(const struct request *request, const struct inference *inference,
                                  const struct slice *slice, struct diagnostic *diagnostic)
{
    const struct word_source source = tensorflow_source(request);
    return fill(request, MAPPING_TENSORFLOW, &source, inference, slice, diagnostic);
}

static const struct input_spec tensorflow_inputs[] = {
    {.name = "seed"}, {.name = "minval", .optional = true}, {.name = "maxval", .optional = true}};

const struct operation tensorflow_stateless_bits_operation = {
    .name = "tensorflow.stateless_bits",
    .summary = "random bits (tf.random.stateless_uniform of a whole unsigned type, alg philox)",
    OPERATION_ATTRIBUTES(bits_attributes),
    .inputs = tensorflow_inputs,
    .input_count = MINVAL,
    .outputs = OUTPUTS,
    .choices = choices,
    .choice_count = COUSIN_FRACTION,
    .plain_dtype = tensorflow_plain_dtype,
    .infer = tensorflow_infer_bits,
    .fill = tensorflow_fill,
};

const struct operation tensorflow_stateless_uniform_operation = {
    .name = "tensorflow.stateless_uniform",
    .summary = "uniform floats and integers (tf.random.stateless_uniform, alg philox)",
    OPERATION_ATTRIBUTES(uniform_attributes),
    OPERATION_INPUTS(tensorflow_inputs),
    .outputs = OUTPUTS,
    OPERATION_CHOICES(choices),
    .plain_dtype = tensorflow_plain_dtype,
    .infer = tensorflow_infer_uniform,
    .fill = tensorflow_fill,
};

// ---- PyTorch ----------------------------------------------------------------

static enum dtype torch_plain_dtype(const struct request *request, unsigned input)
{
    return input == KEY ? DTYPE_U64 : (enum dtype)request->attribute[DTYPE].integer;
}

static struct word_source torch_source(const struct request *request)
{
    const uint64_t seed = cousin_load(request, KEY, 0), offset = cousin_load(request, KEY, 1);
    return (struct word_source){.generator = WORDS_PHILOX4X32,
                                .key = {(uint32_t)seed, seed >> 32},
                                .counter = {(uint32_t)offset, offset >> 32, 0, 0},
                                .carry_words = 2};
}

static enum error torch_infer_bits(const struct request *request, struct inference *inference,
                                   struct diagnostic *diagnostic)
{
    return infer(request, inference, DTYPE_U64, diagnostic);
}

static enum error torch_infer_uniform(const struct request *request, struct inference *inference,
                                      struct diagnostic *diagnostic)
{
    return infer_uniform(request, inference, DTYPE_U64, diagnostic);
}

static enum error torch_fill(const struct request *request, const struct inference *inference,
                             const struct slice *slice, struct diagnostic *diagnostic)
{
    const struct word_source source = torch_source(request);
    return fill(request, MAPPING_TORCH, &source, inference, slice, diagnostic);
}

static const struct input_spec torch_inputs[] = {
    {.name = "key"}, {.name = "minval", .optional = true}, {.name = "maxval", .optional = true}};

const struct operation torch_stateless_bits_operation = {
    .name = "torch.stateless_bits",
    .summary = "random bits of a (seed, offset) key (torch.func._random)",
    OPERATION_ATTRIBUTES(bits_attributes),
    .inputs = torch_inputs,
    .input_count = MINVAL,
    .outputs = OUTPUTS,
    .choices = choices,
    .choice_count = COUSIN_FRACTION,
    .plain_dtype = torch_plain_dtype,
    .infer = torch_infer_bits,
    .fill = torch_fill,
};

const struct operation torch_stateless_uniform_operation = {
    .name = "torch.stateless_uniform",
    .summary = "uniform floats and integers of a (seed, offset) key (torch.func._random)",
    OPERATION_ATTRIBUTES(uniform_attributes),
    OPERATION_INPUTS(torch_inputs),
    .outputs = OUTPUTS,
    OPERATION_CHOICES(choices),
    .plain_dtype = torch_plain_dtype,
    .infer = torch_infer_uniform,
    .fill = torch_fill,
};
