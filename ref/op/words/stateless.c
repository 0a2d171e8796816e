// SPDX-License-Identifier: Apache-2.0
// tensorflow.stateless_* and torch.stateless_*: arrays from a key alone, of words, of floats and of
// integers in a range.
//
// TensorFlow (tf.random.stateless_uniform, alg philox) scrambles its seed by one block of Philox
// into a key and the upper half of a counter. PyTorch (torch.func._random) takes the key's first
// word as the Philox key and its second as the block number.

#include "ref/op/words/cousin.h"

#include <string.h>

#include "ref/rng/philox.h"

enum { SHAPE, DTYPE };

#define DTYPES_OF_BITS (DTYPE_BIT(DTYPE_U32) | DTYPE_BIT(DTYPE_U64))

static const struct attribute_spec bits_attributes[] = {
    [SHAPE] = COUSIN_ATTRIBUTE_SHAPE,
    [DTYPE] = ATTRIBUTE("dtype", DTYPE, DEFAULT, .standard = DTYPE_U32, .dtypes = DTYPES_OF_BITS),
};

static const struct attribute_spec uniform_attributes[] = {
    [SHAPE] = COUSIN_ATTRIBUTE_SHAPE,
    [DTYPE] = ATTRIBUTE("dtype", DTYPE, DEFAULT, .standard = DTYPE_F32,
                        .dtypes = DTYPES_FLOAT | DTYPE_BIT(DTYPE_I32) | DTYPE_BIT(DTYPE_I64)),
};

enum { KEY, MINVAL, MAXVAL };

static const struct choice choices[] = {COUSIN_MAPPING_CHOICES, COUSIN_ROUNDING_CHOICE};

// What a system's two operations differ from another's in.
struct system {
    const char *prefix; // of their names
    enum dtype key;
    enum mapping_system mapping;
    struct word_source (*source)(const struct request *request);
};

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

static struct word_source torch_source(const struct request *request)
{
    const uint64_t seed = cousin_load(request, KEY, 0), offset = cousin_load(request, KEY, 1);
    return (struct word_source){.generator = WORDS_PHILOX4X32,
                                .key = {(uint32_t)seed, seed >> 32},
                                .counter = {(uint32_t)offset, offset >> 32, 0, 0},
                                .carry_words = 2};
}

static const struct system systems[] = {
    {"tensorflow.", DTYPE_I64, MAPPING_TENSORFLOW, tensorflow_source},
    {"torch.", DTYPE_U64, MAPPING_TORCH, torch_source},
};

static const struct system *system_of(const struct request *request)
{
    const bool first =
        !strncmp(request->operation->name, systems[0].prefix, strlen(systems[0].prefix));
    return &systems[first ? 0 : 1];
}

static enum dtype plain_dtype(const struct request *request, unsigned input)
{
    return input == KEY ? system_of(request)->key : (enum dtype)request->attribute[DTYPE].integer;
}

static bool has_range(const struct request *request)
{
    return request->operation->input_count > MINVAL;
}

static enum error infer(const struct request *request, struct inference *inference,
                        struct diagnostic *diagnostic)
{
    const struct attribute_value *const shape = &request->attribute[SHAPE];
    struct tensor *const output = &inference->output[0];
    struct cousin_range range;
    enum error error = cousin_check_input(request, KEY, system_of(request)->key, 2, diagnostic);
    if (error)
        return error;
    output->dtype = (enum dtype)request->attribute[DTYPE].integer;
    error = operation_set_shape(output, shape->integers, shape->count, "shape", diagnostic);
    if (!error && has_range(request))
        error = cousin_read_range(request, MINVAL, output->dtype, &range, diagnostic);
    return error;
}

static enum error fill(const struct request *request, const struct inference *inference,
                       const struct slice *slice, struct diagnostic *diagnostic)
{
    const struct system *const system = system_of(request);
    const enum dtype dtype = inference->output[0].dtype;
    struct cousin_range range;
    const enum error error = has_range(request)
                                 ? cousin_read_range(request, MINVAL, dtype, &range, diagnostic)
                                 : ERROR_NONE;
    if (!error)
        cousin_fill(request, system->mapping, dtype, system->source(request), 0,
                    has_range(request) ? &range : NULL, slice);
    return error;
}

#define INPUTS(key)                                                                                \
    ((const struct input_spec[]){{.name = (key)},                                                  \
                                 {.name = "minval", .optional = true},                             \
                                 {.name = "maxval", .optional = true}})
#define FUNCTIONS                                                                                  \
    .outputs = OPERATION_WORDS("output"), .plain_dtype = plain_dtype, .infer = infer, .fill = fill
#define OF_BITS                                                                                    \
    OPERATION_ATTRIBUTES(bits_attributes), .input_count = MINVAL, .choices = choices,              \
                                           .choice_count = COUSIN_FRACTION, FUNCTIONS
#define OF_UNIFORM                                                                                 \
    OPERATION_ATTRIBUTES(uniform_attributes), .input_count = MAXVAL + 1,                           \
                                              OPERATION_CHOICES(choices), FUNCTIONS

const struct operation tensorflow_stateless_bits_operation = {
    .name = "tensorflow.stateless_bits",
    .summary = "random bits (tf.random.stateless_uniform of a whole unsigned type, alg philox)",
    .inputs = INPUTS("seed"),
    OF_BITS,
};

const struct operation tensorflow_stateless_uniform_operation = {
    .name = "tensorflow.stateless_uniform",
    .summary = "uniform floats and integers (tf.random.stateless_uniform, alg philox)",
    .inputs = INPUTS("seed"),
    OF_UNIFORM,
};

const struct operation torch_stateless_bits_operation = {
    .name = "torch.stateless_bits",
    .summary = "random bits of a (seed, offset) key (torch.func._random)",
    .inputs = INPUTS("key"),
    OF_BITS,
};

const struct operation torch_stateless_uniform_operation = {
    .name = "torch.stateless_uniform",
    .summary = "uniform floats and integers of a (seed, offset) key (torch.func._random)",
    .inputs = INPUTS("key"),
    OF_UNIFORM,
};
