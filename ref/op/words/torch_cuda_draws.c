// SPDX-License-Identifier: Apache-2.0
// torch.cuda_rand, torch.cuda_randn, torch.cuda_randint, torch.cuda_bernoulli: what torch.rand,
// randn, randint and Tensor.bernoulli_(p) draw on a CUDA device, from its words (torch_cuda.h).
//
// Uniform numbers are cuRAND's, in (0, 1], of which a 1 (in the type of the result) becomes a 0.
// Their type is f32 for all but f64. An integer is low + w mod (high - low), of 64 bits from a span
// of 2^28 on; older versions of PyTorch took them from 2^32 on.

#include "ref/base/bytes.h"
#include "ref/num/small_float.h"
#include "ref/op/words/box_muller.h"
#include "ref/op/words/cousin.h"
#include "ref/op/words/torch_cuda.h"

static bool is_f64(const struct inference *inference)
{
    return inference->output[0].dtype == DTYPE_F64;
}

// A uniform number in (0, 1]: an f64, or an f32 as a double.
static double uniform(const struct request *request, const struct inference *inference,
                      uint64_t element)
{
    const bool wide = is_f64(inference);
    const struct mapping *const mapping = mapping_of(MAPPING_CURAND, wide ? DTYPE_F64 : DTYPE_F32);
    uint32_t word[4];
    const unsigned place = torch_cuda_draw(request, inference, wide ? 2 : 4, element, word);
    return num_to_double(mapping->dtype, mapping_element(mapping, word + mapping->words * place));
}

// ---- torch.cuda_rand --------------------------------------------------------

enum { ONE = TORCH_CUDA_CHOICES };

static enum error rand_fill(const struct request *request, const struct inference *inference,
                            const struct slice *slice, struct diagnostic *diagnostic)
{
    (void)diagnostic;
    const enum dtype dtype = inference->output[0].dtype;
    const uint64_t one = request->profile.option[ONE] ? UINT64_MAX : num_from_double(dtype, 1);
    for (uint64_t i = 0; i < slice->count; i++) {
        const uint64_t value =
            num_from_double(dtype, uniform(request, inference, slice->first + i));
        element_store(slice->data, dtype_size(dtype), i, value == one ? 0 : value);
    }
    return ERROR_NONE;
}

// ---- torch.cuda_randn -------------------------------------------------------

enum { PAIR_OF_NORMALS = TORCH_CUDA_CHOICES };

static struct normal normal_of(const struct request *request, const struct inference *inference,
                               uint64_t element)
{
    uint32_t word[4];
    const unsigned each = is_f64(inference) ? 2 : 4;
    const unsigned place = torch_cuda_draw(request, inference, each, element, word);
    const struct normal_pair pair =
        box_muller_curand(inference->output[0].dtype, each == 2 ? word : word + (place & 2));
    return (place & 1) != (request->profile.option[PAIR_OF_NORMALS] != 0) ? pair.cosine : pair.sine;
}

static enum error randn_infer(const struct request *request, struct inference *inference,
                              struct diagnostic *diagnostic)
{
    inference->level[0] = LEVEL_BOUND;
    return torch_cuda_infer(request, inference, diagnostic);
}

static enum error randn_fill(const struct request *request, const struct inference *inference,
                             const struct slice *slice, struct diagnostic *diagnostic)
{
    (void)diagnostic;
    normal_fill(request, inference, slice, normal_of, slice->data, NULL, NULL);
    return ERROR_NONE;
}

static enum error randn_fill_bounds(const struct request *request,
                                    const struct inference *inference, const struct slice *slice,
                                    void *lower, void *upper, struct diagnostic *diagnostic)
{
    (void)diagnostic;
    normal_fill(request, inference, slice, normal_of, NULL, lower, upper);
    return ERROR_NONE;
}

// ---- torch.cuda_randint -----------------------------------------------------

enum { WIDE_FROM = TORCH_CUDA_CHOICES };
enum { LOW = TORCH_CUDA_INPUTS, HIGH };

enum {
    INTEGERS = DTYPE_BIT(DTYPE_U8) | DTYPE_BIT(DTYPE_I8) | DTYPE_BIT(DTYPE_I16) |
               DTYPE_BIT(DTYPE_I32) | DTYPE_BIT(DTYPE_I64),
};

static enum error randint_infer(const struct request *request, struct inference *inference,
                                struct diagnostic *diagnostic)
{
    enum error error = torch_cuda_infer(request, inference, diagnostic);
    for (unsigned i = LOW; i <= HIGH && !error; i++)
        error = cousin_check_input(request, i, DTYPE_I64, 0, diagnostic);
    if (error || !request->input[LOW].data || !request->input[HIGH].data)
        return error;
    const enum dtype dtype = inference->output[0].dtype;
    const int64_t low = (int64_t)cousin_load(request, LOW, 0),
                  high = (int64_t)cousin_load(request, HIGH, 0);
    if (low >= high)
        return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT, "low must be less than high");
    const unsigned bits = 8 * (unsigned)dtype_size(dtype);
    const int64_t most = dtype == DTYPE_U8 ? UINT8_MAX : INT64_MAX >> (64 - bits),
                  least = dtype == DTYPE_U8 ? 0 : -1 - most;
    if (low < least || high - 1 > most)
        return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT, "low and high - 1 must be in %s",
                               dtype_name(dtype));
    return ERROR_NONE;
}

static enum error randint_fill(const struct request *request, const struct inference *inference,
                               const struct slice *slice, struct diagnostic *diagnostic)
{
    (void)diagnostic;
    const size_t size = dtype_size(inference->output[0].dtype);
    const uint64_t low = cousin_load(request, LOW, 0), span = cousin_load(request, HIGH, 0) - low;
    const bool wide = span >> (request->profile.option[WIDE_FROM] ? 32 : 28);
    for (uint64_t i = 0; i < slice->count; i++) {
        uint32_t word[4];
        const unsigned place =
            torch_cuda_draw(request, inference, wide ? 2 : 4, slice->first + i, word);
        const uint64_t drawn =
            wide ? (uint64_t)word[2 * place] << 32 | word[2 * place + 1] : word[place];
        element_store(slice->data, size, i, low + drawn % span);
    }
    return ERROR_NONE;
}

// ---- torch.cuda_bernoulli ---------------------------------------------------

enum { COMPARED = TORCH_CUDA_CHOICES };
enum { P = TORCH_CUDA_INPUTS };

static enum error bernoulli_infer(const struct request *request, struct inference *inference,
                                  struct diagnostic *diagnostic)
{
    enum error error = torch_cuda_infer(request, inference, diagnostic);
    if (!error)
        error = cousin_check_input(request, P, DTYPE_F64, 0, diagnostic);
    if (error || !request->input[P].data)
        return error;
    const double p = double_from_bits(cousin_load(request, P, 0));
    return p >= 0 && p <= 1
               ? ERROR_NONE
               : diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT, "p must be in [0, 1]");
}

static enum error bernoulli_fill(const struct request *request, const struct inference *inference,
                                 const struct slice *slice, struct diagnostic *diagnostic)
{
    (void)diagnostic;
    const enum dtype dtype = inference->output[0].dtype;
    const enum dtype drawn = is_f64(inference) ? DTYPE_F64 : DTYPE_F32;
    const double p = num_to_double(drawn, num_convert(drawn, DTYPE_F64, cousin_load(request, P, 0),
                                                      NUM_NEAREST_EVEN, NUM_IEEE));
    const uint64_t one = dtype_kind(dtype) == DTYPE_KIND_FLOAT ? num_from_double(dtype, 1) : 1;
    for (uint64_t i = 0; i < slice->count; i++) {
        const double u = uniform(request, inference, slice->first + i);
        const bool hit = request->profile.option[COMPARED] ? 1 - u < p : u < p;
        element_store(slice->data, dtype_size(dtype), i, hit ? one : 0);
    }
    return ERROR_NONE;
}

// ---- the operations ---------------------------------------------------------

static const struct attribute_spec float_attributes[] = {
    TORCH_CUDA_ATTRIBUTE_ROWS(DTYPE_F32, DTYPES_FLOAT)};
static const struct attribute_spec randint_attributes[] = {
    TORCH_CUDA_ATTRIBUTE_ROWS(DTYPE_I64, INTEGERS)};

#define SEEDS                                                                                      \
    [TORCH_CUDA_SEED] = {.name = "seed"}, [TORCH_CUDA_OFFSET] = {.name = "offset", .optional = true}

static const struct choice rand_choices[] = {
    TORCH_CUDA_CHOICE_ROWS,
    [ONE] = {"one", OPERATION_WORDS("becomes_zero", "kept")},
};
static const struct choice randn_choices[] = {
    TORCH_CUDA_CHOICE_ROWS,
    [PAIR_OF_NORMALS] = {"pair_of_normals", OPERATION_WORDS("sine_first", "cosine_first")},
};
static const struct choice randint_choices[] = {
    TORCH_CUDA_CHOICE_ROWS,
    [WIDE_FROM] = {"wide_from", OPERATION_WORDS("2^28", "2^32")},
};
static const struct choice bernoulli_choices[] = {
    TORCH_CUDA_CHOICE_ROWS,
    [COMPARED] = {"compared", OPERATION_WORDS("draw", "one_minus_draw")},
};

static enum dtype plain_dtype(const struct request *request, unsigned input)
{
    if (input < TORCH_CUDA_INPUTS)
        return DTYPE_U64;
    return request->operation == &torch_cuda_bernoulli_operation ? DTYPE_F64 : DTYPE_I64;
}

const struct operation torch_cuda_rand_operation = {
    .name = "torch.cuda_rand",
    .summary = "floats of PyTorch's generator on a CUDA device (torch.rand)",
    OPERATION_ATTRIBUTES(float_attributes),
    OPERATION_INPUT_ROWS(SEEDS),
    .outputs = OPERATION_WORDS("output"),
    OPERATION_CHOICES(rand_choices),
    .plain_dtype = plain_dtype,
    .infer = torch_cuda_infer,
    .fill = rand_fill,
};

const struct operation torch_cuda_randn_operation = {
    .name = "torch.cuda_randn",
    .summary = "normal floats of PyTorch's generator on a CUDA device (torch.randn)",
    OPERATION_ATTRIBUTES(float_attributes),
    OPERATION_INPUT_ROWS(SEEDS),
    .outputs = OPERATION_WORDS("output"),
    OPERATION_CHOICES(randn_choices),
    .plain_dtype = plain_dtype,
    .infer = randn_infer,
    .fill = randn_fill,
    .fill_bounds = randn_fill_bounds,
};

const struct operation torch_cuda_randint_operation = {
    .name = "torch.cuda_randint",
    .summary = "integers of PyTorch's generator on a CUDA device (torch.randint)",
    OPERATION_ATTRIBUTES(randint_attributes),
    OPERATION_INPUT_ROWS(SEEDS, [LOW] = {.name = "low"}, [HIGH] = {.name = "high"}),
    .outputs = OPERATION_WORDS("output"),
    OPERATION_CHOICES(randint_choices),
    .plain_dtype = plain_dtype,
    .infer = randint_infer,
    .fill = randint_fill,
};

const struct operation torch_cuda_bernoulli_operation = {
    .name = "torch.cuda_bernoulli",
    .summary = "zeros and ones of PyTorch's generator on a CUDA device (Tensor.bernoulli_)",
    OPERATION_ATTRIBUTES(float_attributes),
    OPERATION_INPUT_ROWS(SEEDS, [P] = {.name = "p"}),
    .outputs = OPERATION_WORDS("output"),
    OPERATION_CHOICES(bernoulli_choices),
    .plain_dtype = plain_dtype,
    .infer = bernoulli_infer,
    .fill = bernoulli_fill,
};
