// SPDX-License-Identifier: Apache-2.0
// The random operators of ONNX: their rules, and the values that are certain.
//
// Certain is a Bernoulli draw of probability 0 or 1, and a multinomial one where all classes but
// one have a log-probability of -infinity. All else is left to chance.

#include "ref/op/onnx/random.h"

#include <inttypes.h>
#include <math.h>

#include "ref/base/bytes.h"
#include "ref/num/small_float.h"

// SCALE is `high`, or `scale`; LOW is `low`, or `mean`, or of Multinomial sample_size.
enum { DTYPE, SEED, OPSET, LOW, SCALE, SHAPE, SAMPLE_SIZE = LOW };
enum { BF16_FROM_OPSET = 22 };

// clang-format off
#define SHARED_ATTRIBUTES(first)                                                                 \
    [DTYPE] = ATTRIBUTE("dtype", INTEGER, OPTIONAL, .minimum = INT64_MIN, .maximum = INT64_MAX), \
    [SEED] = ATTRIBUTE("seed", REAL, OPTIONAL),                                                  \
    [OPSET] = ATTRIBUTE("opset", INTEGER, DEFAULT, .standard = 22, .minimum = (first),           \
                        .maximum = 27)
#define UNIFORM_ATTRIBUTES SHARED_ATTRIBUTES(7),                                                 \
    [LOW] = ATTRIBUTE("low", REAL, DEFAULT),                                                     \
    [SCALE] = ATTRIBUTE("high", REAL, DEFAULT, .standard = 1)
#define NORMAL_ATTRIBUTES SHARED_ATTRIBUTES(7),                                                  \
    [LOW] = ATTRIBUTE("mean", REAL, DEFAULT),                                                    \
    [SCALE] = ATTRIBUTE("scale", REAL, DEFAULT, .standard = 1)
// clang-format on

static const struct attribute_spec
    bernoulli_attributes[] = {SHARED_ATTRIBUTES(15)},
    multinomial_attributes[] = {SHARED_ATTRIBUTES(7), [SAMPLE_SIZE] =
                                                          ATTRIBUTE("sample_size", INTEGER, DEFAULT,
                                                                    .standard = 1, .minimum = 1,
                                                                    .maximum = INT64_MAX)},
    normal_attributes[] = {NORMAL_ATTRIBUTES, [SHAPE] = ATTRIBUTE("shape", SIZES, REQUIRED)},
    normal_like_attributes[] = {NORMAL_ATTRIBUTES},
    uniform_attributes[] = {UNIFORM_ATTRIBUTES, [SHAPE] = ATTRIBUTE("shape", SIZES, REQUIRED)},
    uniform_like_attributes[] = {UNIFORM_ATTRIBUTES};

// complement: a one is drawn with probability 1 - p.
static const struct choice bernoulli_choices[] = {
    {"ones", OPERATION_WORDS("of_probability", "complement")}};
// first: the text's "along the axis zero" by the letter.
static const struct choice multinomial_choices[] = {
    {"classes", OPERATION_WORDS("last_axis", "first_axis")}};

static bool is_normal(const struct request *request)
{
    return request->operation == &onnx_random_normal ||
           request->operation == &onnx_random_normal_like;
}

static bool has_input(const struct request *request)
{
    return request->operation->input_count > 0;
}

static enum dtype plain_dtype(const struct request *request, unsigned input)
{
    (void)request;
    (void)input;
    return DTYPE_F32;
}

// ---- rules ------------------------------------------------------------------

// The type that an enumerator of TensorProto.DataType names; NONE: none that is known here.
static enum dtype dtype_of(int64_t enumerator)
{
    static const enum dtype named[] = {
        [1] = DTYPE_F32,  [2] = DTYPE_U8,   [3] = DTYPE_I8,   [4] = DTYPE_U16,  [5] = DTYPE_I16,
        [6] = DTYPE_I32,  [7] = DTYPE_I64,  [9] = DTYPE_BOOL, [10] = DTYPE_F16, [11] = DTYPE_F64,
        [12] = DTYPE_U32, [13] = DTYPE_U64, [16] = DTYPE_BF16};
    return enumerator < 0 || (uint64_t)enumerator >= sizeof named / sizeof *named
               ? DTYPE_NONE
               : named[enumerator];
}

static unsigned floats_of(const struct request *request)
{
    return DTYPE_BIT(DTYPE_F16) | DTYPE_BIT(DTYPE_F32) | DTYPE_BIT(DTYPE_F64) |
           (request->attribute[OPSET].integer >= BF16_FROM_OPSET ? DTYPE_BIT(DTYPE_BF16) : 0);
}

static const unsigned integers = DTYPE_BIT(DTYPE_I8) | DTYPE_BIT(DTYPE_I16) | DTYPE_BIT(DTYPE_I32) |
                                 DTYPE_BIT(DTYPE_I64) | DTYPE_BIT(DTYPE_U8) | DTYPE_BIT(DTYPE_U16) |
                                 DTYPE_BIT(DTYPE_U32) | DTYPE_BIT(DTYPE_U64) |
                                 DTYPE_BIT(DTYPE_BOOL);

static enum error choose_type(const struct request *request, enum dtype *type,
                              struct diagnostic *diagnostic)
{
    const bool multinomial = request->operation == &onnx_multinomial,
               bernoulli = request->operation == &onnx_bernoulli;
    const struct attribute_value *const asked = &request->attribute[DTYPE];
    const unsigned floats = floats_of(request),
                   outputs = multinomial ? DTYPE_BIT(DTYPE_I32) | DTYPE_BIT(DTYPE_I64)
                             : bernoulli ? floats | integers | DTYPE_BIT(DTYPE_BF16)
                                         : floats;
    if (has_input(request)) {
        const enum error error = operation_check_dtype(
            request, 0, multinomial || bernoulli ? floats : floats | integers, diagnostic);
        if (error)
            return error;
    }
    *type = asked->present       ? dtype_of(asked->integer)
            : multinomial        ? DTYPE_I32
            : has_input(request) ? request->input[0].dtype
                                 : DTYPE_F32;
    if (*type != DTYPE_NONE && DTYPE_BIT(*type) & outputs)
        return ERROR_NONE;
    if (asked->present)
        return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                               "dtype is %" PRId64 ", which is no type of the output",
                               asked->integer);
    return diagnostic_fail(
        diagnostic, ERROR_INVALID_ARGUMENT,
        "without dtype the output has the input's type, %s, which it cannot have",
        dtype_name(*type));
}

static enum error choose_shape(const struct request *request, struct tensor *output,
                               struct diagnostic *diagnostic)
{
    const struct tensor *const input = &request->input[0];
    if (!has_input(request))
        return operation_set_shape(output, request->attribute[SHAPE].integers,
                                   request->attribute[SHAPE].count, "attribute shape", diagnostic);
    output->rank = input->rank;
    for (unsigned i = 0; i < input->rank; i++)
        output->shape[i] = input->shape[i];
    if (request->operation != &onnx_multinomial)
        return ERROR_NONE;
    const enum error error =
        operation_check_rank(request, 0, 2, "batch_size, class_size", diagnostic);
    if (error)
        return error;
    if (!input->shape[1])
        return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT, "there are no classes");
    const bool first = request->profile.option[0] != 0;
    const int64_t sizes[] = {(int64_t)input->shape[first], request->attribute[SAMPLE_SIZE].integer};
    return operation_set_shape(output, sizes, 2, "the output", diagnostic);
}

static double input_at(const struct request *request, uint64_t index)
{
    const struct tensor *const input = &request->input[0];
    return num_to_double(input->dtype, element_load(input->data, dtype_size(input->dtype), index));
}

// Log-probability of class `class` of row `row`.
static double weight_at(const struct request *request, uint64_t row, uint64_t class)
{
    const struct tensor *const input = &request->input[0];
    return input_at(request, request->profile.option[0] ? class * input->shape[1] + row
                                                        : row * input->shape[1] + class);
}

// How many classes of a row have a chance, and the last of these.
static uint64_t count_likely(const struct request *request, uint64_t row, uint64_t *class)
{
    const uint64_t classes = request->input[0].shape[request->profile.option[0] ? 0 : 1];
    uint64_t likely = 0;
    for (uint64_t i = 0; i < classes; i++)
        if (weight_at(request, row, i) > -INFINITY) {
            likely++;
            *class = i;
        }
    return likely;
}

static enum error check_rows(const struct request *request, uint64_t rows, bool *certain,
                             struct diagnostic *diagnostic)
{
    uint64_t count = 0, class;
    tensor_count(&request->input[0], &count);
    for (uint64_t i = 0; i < count; i++)
        if (isnan(input_at(request, i)) || input_at(request, i) == INFINITY)
            return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                                   "element %" PRIu64 " of input is %g, no log-probability", i,
                                   input_at(request, i));
    *certain = true;
    for (uint64_t row = 0; row < rows; row++) {
        const uint64_t likely = count_likely(request, row, &class);
        if (!likely)
            return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                                   "no class of row %" PRIu64 " has a probability above 0", row);
        *certain = *certain && likely == 1;
    }
    return ERROR_NONE;
}

static enum error check_probabilities(const struct request *request, bool *certain,
                                      struct diagnostic *diagnostic)
{
    uint64_t count = 0;
    tensor_count(&request->input[0], &count);
    *certain = true;
    for (uint64_t i = 0; i < count; i++) {
        const double p = input_at(request, i);
        if (!(p >= 0 && p <= 1))
            return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                                   "element %" PRIu64 " of input is %g; a probability is in [0, 1]",
                                   i, p);
        *certain = *certain && (p == 0 || p == 1);
    }
    return ERROR_NONE;
}

// What is drawn from; *certain where one value alone has a chance.
static enum error check_law(const struct request *request, const struct tensor *output,
                            bool *certain, struct diagnostic *diagnostic)
{
    if (request->operation == &onnx_multinomial)
        return check_rows(request, output->shape[0], certain, diagnostic);
    if (request->operation == &onnx_bernoulli)
        return check_probabilities(request, certain, diagnostic);
    const double low = request->attribute[LOW].real, scale = request->attribute[SCALE].real;
    *certain = false;
    if (!isfinite(low) || !isfinite(scale))
        return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                               "attributes %s and %s are %g and %g; expected finite numbers",
                               request->operation->attributes[LOW].name,
                               request->operation->attributes[SCALE].name, low, scale);
    if (is_normal(request) ? scale <= 0 : low >= scale)
        return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                               is_normal(request) ? "scale is %g; a standard deviation is above 0"
                                                  : "high is %g, not above low, %g",
                               scale, low);
    return ERROR_NONE;
}

static enum error infer(const struct request *request, struct inference *inference,
                        struct diagnostic *diagnostic)
{
    struct tensor output = {0};
    uint64_t count = 0;
    bool certain = false;
    enum error error = choose_type(request, &output.dtype, diagnostic);
    if (!error)
        error = choose_shape(request, &output, diagnostic);
    if (!error)
        error = check_law(request, &output, &certain, diagnostic);
    if (error)
        return error;
    inference->output[0] = output;
    return certain || (tensor_count(&output, &count) && !count)
               ? ERROR_NONE
               : diagnostic_fail(diagnostic, ERROR_NONDETERMINISTIC,
                                 "the values are left to chance: the text names no generator");
}

// ---- what is certain --------------------------------------------------------

static double certain_at(const struct request *request, const struct inference *inference,
                         uint64_t index)
{
    uint64_t class = 0;
    if (request->operation == &onnx_bernoulli)
        return request->profile.option[0] ? 1 - input_at(request, index) : input_at(request, index);
    count_likely(request, index / inference->output[0].shape[1], &class);
    return (double)class;
}

static enum error fill(const struct request *request, const struct inference *inference,
                       const struct slice *slice, struct diagnostic *diagnostic)
{
    const enum dtype type = inference->output[0].dtype;
    (void)diagnostic;
    for (uint64_t i = 0; i < slice->count; i++) {
        const double value = certain_at(request, inference, slice->first + i);
        element_store(slice->data, dtype_size(type), i,
                      num_convert(type, DTYPE_F64, double_bits(value), NUM_NEAREST_EVEN, NUM_IEEE));
    }
    return ERROR_NONE;
}

// ---- rows of the table ------------------------------------------------------

#define SHARED_MEMBERS                                                                             \
    .outputs = OPERATION_WORDS("output"), .plain_dtype = plain_dtype, .infer = infer, .fill = fill

const struct operation onnx_bernoulli = {.name = "onnx.bernoulli",
                                         .summary = "ONNX Bernoulli: ones with given probabilities",
                                         OPERATION_ATTRIBUTES(bernoulli_attributes),
                                         OPERATION_INPUT_ROWS({.name = "input"}),
                                         OPERATION_CHOICES(bernoulli_choices),
                                         SHARED_MEMBERS};

const struct operation onnx_multinomial = {
    .name = "onnx.multinomial",
    .summary = "ONNX Multinomial: classes with given log-probabilities",
    OPERATION_ATTRIBUTES(multinomial_attributes),
    OPERATION_INPUT_ROWS({.name = "input"}),
    OPERATION_CHOICES(multinomial_choices),
    SHARED_MEMBERS};

const struct operation onnx_random_normal = {
    .name = "onnx.random_normal",
    .summary = "ONNX RandomNormal: draws from a normal distribution",
    OPERATION_ATTRIBUTES(normal_attributes),
    SHARED_MEMBERS};

const struct operation onnx_random_normal_like = {
    .name = "onnx.random_normal_like",
    .summary = "ONNX RandomNormalLike: the same, in the shape of a tensor",
    OPERATION_ATTRIBUTES(normal_like_attributes),
    OPERATION_INPUT_ROWS({.name = "input"}),
    SHARED_MEMBERS};

const struct operation onnx_random_uniform = {
    .name = "onnx.random_uniform",
    .summary = "ONNX RandomUniform: draws from a uniform distribution",
    OPERATION_ATTRIBUTES(uniform_attributes),
    SHARED_MEMBERS};

const struct operation onnx_random_uniform_like = {
    .name = "onnx.random_uniform_like",
    .summary = "ONNX RandomUniformLike: the same, in the shape of a tensor",
    OPERATION_ATTRIBUTES(uniform_like_attributes),
    OPERATION_INPUT_ROWS({.name = "input"}),
    SHARED_MEMBERS};
