// SPDX-License-Identifier: Apache-2.0
// The generators that start from one seed: torch.mt19937_rand (PyTorch's default on a CPU) and
// cpp.philox_engine (C++26).

#include "ref/op/words/cousin.h"

static const struct choice choices[] = {COUSIN_MAPPING_CHOICES};

// ---- torch.mt19937_rand -----------------------------------------------------

enum { TORCH_SHAPE, TORCH_DTYPE };

static const struct attribute_spec torch_attributes[] = {
    [TORCH_SHAPE] = COUSIN_ATTRIBUTE_SHAPE,
    [TORCH_DTYPE] =
        ATTRIBUTE("dtype", DTYPE, DEFAULT, .standard = DTYPE_F32, .dtypes = DTYPES_FLOAT),
};

static enum error torch_infer(const struct request *request, struct inference *inference,
                              struct diagnostic *diagnostic)
{
    const struct attribute_value *const shape = &request->attribute[TORCH_SHAPE];
    const enum error error = cousin_check_seeds(request, diagnostic);
    inference->output[0].dtype = (enum dtype)request->attribute[TORCH_DTYPE].integer;
    return error ? error
                 : operation_set_shape(&inference->output[0], shape->integers, shape->count,
                                       "shape", diagnostic);
}

static enum error torch_fill(const struct request *request, const struct inference *inference,
                             const struct slice *slice, struct diagnostic *diagnostic)
{
    (void)diagnostic;
    const struct word_source source = {.generator = WORDS_MT19937,
                                       .key = {cousin_load(request, 0, 0)}};
    cousin_fill(request, MAPPING_TORCH_MT19937, inference->output[0].dtype, source, 0, NULL, slice);
    return ERROR_NONE;
}

const struct operation torch_mt19937_rand_operation = {
    .name = "torch.mt19937_rand",
    .summary = "floats of PyTorch's default generator on a CPU (torch.rand after manual_seed)",
    OPERATION_ATTRIBUTES(torch_attributes),
    OPERATION_INPUT_ROWS({.name = "seed"}),
    .outputs = OPERATION_WORDS("output"),
    OPERATION_CHOICES(choices),
    .plain_dtype = operation_plain_u64,
    .infer = torch_infer,
    .fill = torch_fill,
};

// ---- cpp.philox_engine ------------------------------------------------------

enum { CPP_ENGINE, CPP_COUNT };

static const struct attribute_spec cpp_attributes[] = {
    [CPP_ENGINE] =
        ATTRIBUTE("engine", WORD, DEFAULT, .words = OPERATION_WORDS("philox4x32", "philox4x64")),
    [CPP_COUNT] = COUSIN_ATTRIBUTE_COUNT,
};

enum { CPP_SEED, CPP_DISCARD };

static const uint64_t CPP_DEFAULT_SEED = 20111115;

static const struct input_spec cpp_inputs[] = {{.name = "seed", .optional = true},
                                               {.name = "discard", .optional = true}};

static enum error cpp_infer(const struct request *request, struct inference *inference,
                            struct diagnostic *diagnostic)
{
    const enum error error = cousin_check_seeds(request, diagnostic);
    if (error)
        return error;
    inference->output[0] =
        (struct tensor){.dtype = request->attribute[CPP_ENGINE].integer ? DTYPE_U64 : DTYPE_U32,
                        .rank = 1,
                        .shape = {(uint64_t)request->attribute[CPP_COUNT].integer}};
    return ERROR_NONE;
}

// The counter starts at zero and is used before it is counted up; the second key word is zero.
static enum error cpp_fill(const struct request *request, const struct inference *inference,
                           const struct slice *slice, struct diagnostic *diagnostic)
{
    (void)diagnostic;
    const bool wide = request->attribute[CPP_ENGINE].integer != 0;
    const uint64_t seed = cousin_load_or(request, CPP_SEED, CPP_DEFAULT_SEED);
    const uint64_t discard = cousin_load_or(request, CPP_DISCARD, 0), blocks = discard / 4;
    const struct word_source source = {
        .generator = wide ? WORDS_PHILOX4X64 : WORDS_PHILOX4X32,
        .key = {wide ? seed : (uint32_t)seed, 0},
        .counter = {wide ? blocks : (uint32_t)blocks, wide ? 0 : blocks >> 32},
        .carry_words = 4};
    cousin_fill(request, MAPPING_CPP, inference->output[0].dtype, source, discard % 4, NULL, slice);
    return ERROR_NONE;
}

const struct operation cpp_philox_engine_operation = {
    .name = "cpp.philox_engine",
    .summary = "values of C++26's std::philox4x32 and std::philox4x64",
    OPERATION_ATTRIBUTES(cpp_attributes),
    OPERATION_INPUTS(cpp_inputs),
    .outputs = OPERATION_WORDS("output"),
    .choices = choices,
    .choice_count = COUSIN_PAIR,
    .plain_dtype = operation_plain_u64,
    .infer = cpp_infer,
    .fill = cpp_fill,
};
