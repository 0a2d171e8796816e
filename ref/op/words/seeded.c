// SPDX-License-Identifier: Apache-2.0
// The generators that start from one seed: torch.mt19937_rand (PyTorch's default on a CPU),
// curand.philox_* (cuRAND's host API, PHILOX4_32_10 in the default ordering) and cpp.philox_engine
// (C++26).

#include "ref/op/words/cousin.h"

static const struct choice choices[] = {COUSIN_MAPPING_CHOICES};

static enum error infer_seeds(const struct request *request, struct diagnostic *diagnostic)
{
    enum error error = ERROR_NONE;
    for (unsigned i = 0; i < request->operation->input_count && !error; i++)
        if (tensor_present(&request->input[i]))
            error = cousin_check_input(request, i, DTYPE_U64, 0, diagnostic);
    return error;
}

static void set_count(const struct request *request, unsigned attribute, enum dtype dtype,
                      struct inference *inference)
{
    inference->output[0] = (struct tensor){
        .dtype = dtype, .rank = 1, .shape = {(uint64_t)request->attribute[attribute].integer}};
}

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
    const enum error error = infer_seeds(request, diagnostic);
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

// ---- curand.philox_bits, curand.philox_uniform ------------------------------

enum { CURAND_COUNT, CURAND_DTYPE, CURAND_LANES = 65536 };

#define CURAND_ATTRIBUTES(standard_dtype, set)                                                     \
    {                                                                                              \
        [CURAND_COUNT] = COUSIN_ATTRIBUTE_COUNT, [CURAND_DTYPE] =                                  \
                                                     ATTRIBUTE("dtype", DTYPE, DEFAULT,            \
                                                               .standard = (standard_dtype),       \
                                                               .dtypes = (set))                    \
    }

static const struct attribute_spec curand_bits_attributes[] =
    CURAND_ATTRIBUTES(DTYPE_U32, DTYPE_BIT(DTYPE_U32));
static const struct attribute_spec curand_uniform_attributes[] =
    CURAND_ATTRIBUTES(DTYPE_F32, DTYPE_BIT(DTYPE_F32) | DTYPE_BIT(DTYPE_F64));

enum { CURAND_SEED, CURAND_OFFSET };

static const struct input_spec curand_inputs[] = {{.name = "seed"},
                                                  {.name = "offset", .optional = true}};

static uint64_t load_or(const struct request *request, unsigned input, uint64_t standard)
{
    return tensor_present(&request->input[input]) ? cousin_load(request, input, 0) : standard;
}

static enum error curand_infer(const struct request *request, struct inference *inference,
                               struct diagnostic *diagnostic)
{
    const enum error error = infer_seeds(request, diagnostic);
    if (error)
        return error;
    set_count(request, CURAND_COUNT, (enum dtype)request->attribute[CURAND_DTYPE].integer,
              inference);
    const uint64_t offset = load_or(request, CURAND_OFFSET, 0);
    if (offset && inference->output[0].dtype == DTYPE_F64)
        return diagnostic_fail(diagnostic, ERROR_UNSUPPORTED,
                               "where cuRAND starts doubles at an offset is not documented");
    return ERROR_NONE;
}

// 65,536 subsequences of the seed take turns, four elements each; whole rounds of them count the
// first two counter words up.
static enum error curand_fill(const struct request *request, const struct inference *inference,
                              const struct slice *slice, struct diagnostic *diagnostic)
{
    (void)diagnostic;
    const uint64_t seed = cousin_load(request, CURAND_SEED, 0);
    const uint64_t offset = load_or(request, CURAND_OFFSET, 0),
                   rounds = offset / (4 * CURAND_LANES);
    const struct word_source source = {.generator = WORDS_PHILOX4X32,
                                       .key = {(uint32_t)seed, seed >> 32},
                                       .counter = {(uint32_t)rounds, rounds >> 32},
                                       .carry_words = 2,
                                       .lanes = CURAND_LANES};
    cousin_fill(request, MAPPING_CURAND, inference->output[0].dtype, source,
                offset % (4 * CURAND_LANES), NULL, slice);
    return ERROR_NONE;
}

#define WORDS_FUNCTIONS(system)                                                                    \
    .outputs = OPERATION_WORDS("output"), .choices = choices, .choice_count = COUSIN_PAIR,         \
    .plain_dtype = operation_plain_u64, .infer = system##_infer, .fill = system##_fill

const struct operation curand_philox_bits_operation = {
    .name = "curand.philox_bits",
    .summary = "words of cuRAND's host API, PHILOX4_32_10, default ordering",
    OPERATION_ATTRIBUTES(curand_bits_attributes),
    OPERATION_INPUTS(curand_inputs),
    WORDS_FUNCTIONS(curand),
};

const struct operation curand_philox_uniform_operation = {
    .name = "curand.philox_uniform",
    .summary = "floats in (0, 1] of cuRAND's host API, PHILOX4_32_10, default ordering",
    OPERATION_ATTRIBUTES(curand_uniform_attributes),
    OPERATION_INPUTS(curand_inputs),
    WORDS_FUNCTIONS(curand),
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
    const enum error error = infer_seeds(request, diagnostic);
    if (error)
        return error;
    set_count(request, CPP_COUNT, request->attribute[CPP_ENGINE].integer ? DTYPE_U64 : DTYPE_U32,
              inference);
    return ERROR_NONE;
}

// The counter starts at zero and is used before it is counted up; the second key word is zero.
static enum error cpp_fill(const struct request *request, const struct inference *inference,
                           const struct slice *slice, struct diagnostic *diagnostic)
{
    (void)diagnostic;
    const bool wide = request->attribute[CPP_ENGINE].integer != 0;
    const uint64_t seed = load_or(request, CPP_SEED, CPP_DEFAULT_SEED);
    const uint64_t discard = load_or(request, CPP_DISCARD, 0), blocks = discard / 4;
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
    WORDS_FUNCTIONS(cpp),
};
