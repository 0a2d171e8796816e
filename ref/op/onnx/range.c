// SPDX-License-Identifier: Apache-2.0
// onnx.range: Range of ONNX, versions 11 and 27.
//
// The rules, the number of elements, and how a request is put to the engine of openvino.range.
// Integers are counted and stepped exactly. Floats are counted in f64, and element i is
// start + i * delta, each operation rounded to the type in which elements are computed: that of the
// inputs, or, for 16-bit ones, what stash_type names. Where the text is undefined (a delta of 0,
// NaN, infinities) the request is refused.

#include "ref/op/onnx/range.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ref/base/bytes.h"
#include "ref/num/small_float.h"
#include "ref/num/text.h"
#include "ref/op/openvino/range.h"

enum { STASH_TYPE, OPSET };
enum { STASH_FROM_OPSET = 27 };
enum { LIMIT = RANGE_STOP, DELTA = RANGE_STEP };

static const struct attribute_spec attributes[] = {
    // An enumerator of TensorProto.DataType; absent: FLOAT, and earlier versions have none.
    [STASH_TYPE] =
        ATTRIBUTE("stash_type", INTEGER, OPTIONAL, .minimum = INT64_MIN, .maximum = INT64_MAX),
    [OPSET] = ATTRIBUTE("opset", INTEGER, DEFAULT, .standard = 27, .minimum = 11, .maximum = 27),
};

static const struct input_spec inputs[] = {
    [RANGE_START] = {.name = "start"}, [LIMIT] = {.name = "limit"}, [DELTA] = {.name = "delta"}};

enum { ELEMENT, COUNT, INTEGRAL_COUNT, ARITHMETIC, STASH, COUNT_ROUNDING, COUNT_DIRECTION, CAST };

static const struct choice choices[] = {
    // _f64: f32 in f64, rounded once at the end. second: delta is the distance of the first two
    // elements as they are rounded; second_f64: in f64, whatever the type. recurrence_in_N: shared
    // among N threads, each of which starts from start + i * delta.
    [ELEMENT] = {"element",
                 OPERATION_WORDS("multiply", "multiply_f64", "fused", "recurrence",
                                 "recurrence_f64", "second", "second_f64", "recurrence_in_2",
                                 "recurrence_in_3", "recurrence_in_4", "recurrence_in_6",
                                 "recurrence_in_8", "recurrence_in_12", "recurrence_in_16",
                                 "recurrence_in_24", "recurrence_in_32")},
    // type: that of the elements' arithmetic. span_in_type: limit - start there, the quotient in
    // f64. narrow: the inputs' own, whatever stash_type says.
    [COUNT] = {"count", OPERATION_WORDS("f64", "exact", "type", "span_in_type", "narrow", "f32")},
    // quotient_f64: an exact span. wrapped: the span modulo 2^width.
    [INTEGRAL_COUNT] = {"integral_count",
                        OPERATION_WORDS("exact", "f64", "quotient_f64", "f32", "wrapped")},
    // The type in which all is computed, count and elements. f64 and i32 concern integers alone,
    // and
    // those of i32 wrap; i32_saturated: limit and delta do not.
    [ARITHMETIC] = {"arithmetic", OPERATION_WORDS("own", "f32", "f64", "i32", "i32_saturated")},
    // own: 16-bit elements are computed in their own type. f32: in f32.
    [STASH] = {"stash", OPERATION_WORDS("as_asked", "own", "f32")},
    [COUNT_ROUNDING] = {"count_rounding", OPERATION_WORDS("up", "down", "down_plus_one")},
    [COUNT_DIRECTION] = {"count_direction", OPERATION_WORDS("signed", "magnitude")},
    [CAST] = {"cast", OPERATION_WORDS("nearest_even", "toward_zero")}, // to a narrower float
};

enum { MULTIPLY, MULTIPLY_F64, FUSED, RECURRENCE, RECURRENCE_F64, SECOND, SECOND_F64, IN_PARTS };
enum { IN_F64, EXACTLY, IN_TYPE, SPAN_IN_TYPE, IN_NARROW, IN_F32 };
enum { INTEGERS_EXACTLY, INTEGERS_IN_F64, QUOTIENT_IN_F64, INTEGERS_IN_F32, WRAPPED };
enum { ARITHMETIC_OWN, ARITHMETIC_F32, ARITHMETIC_F64, ARITHMETIC_I32, ARITHMETIC_I32_SATURATED };
enum { STASH_AS_ASKED, STASH_OWN, STASH_F32 };

enum { OWN_COUNT, OWN_START, OWN_DELTA, OWN_ACCUMULATOR }; // numbers as f64, or as integers

static const unsigned narrow_types = DTYPE_BIT(DTYPE_F16) | DTYPE_BIT(DTYPE_BF16),
                      first_types = DTYPE_BIT(DTYPE_F32) | DTYPE_BIT(DTYPE_F64) |
                                    DTYPE_BIT(DTYPE_I16) | DTYPE_BIT(DTYPE_I32) |
                                    DTYPE_BIT(DTYPE_I64);

static enum dtype plain_dtype(const struct request *request, unsigned input)
{
    return input == RANGE_START ? DTYPE_F32 : request->input[RANGE_START].dtype;
}

// ---- types ------------------------------------------------------------------

static bool is_integral(enum dtype type)
{
    return dtype_kind(type) != DTYPE_KIND_FLOAT;
}

// The floating type that stash_type names; NONE: another.
static enum dtype stash_of(const struct request *request)
{
    const struct attribute_value *const stash = &request->attribute[STASH_TYPE];
    return !stash->present || stash->integer == 1 ? DTYPE_F32
           : stash->integer == 10                 ? DTYPE_F16
           : stash->integer == 11                 ? DTYPE_F64
           : stash->integer == 16                 ? DTYPE_BF16
                                                  : DTYPE_NONE;
}

static bool is_in_32_bits(const struct request *request)
{
    return request->profile.option[ARITHMETIC] >= ARITHMETIC_I32;
}

// The type in which elements are computed; that of integers: they are exact.
static enum dtype accumulator_of(const struct request *request)
{
    const uint16_t *const option = request->profile.option;
    const enum dtype type = request->input[RANGE_START].dtype;
    if (option[ARITHMETIC] == ARITHMETIC_F32)
        return DTYPE_F32;
    if (is_integral(type))
        return option[ARITHMETIC] == ARITHMETIC_F64 ? DTYPE_F64 : type;
    if (option[ELEMENT] == SECOND_F64)
        return DTYPE_F64;
    if (DTYPE_BIT(type) & narrow_types)
        return option[STASH] == STASH_OWN   ? type
               : option[STASH] == STASH_F32 ? DTYPE_F32
                                            : stash_of(request);
    return option[ELEMENT] == MULTIPLY_F64 || option[ELEMENT] == RECURRENCE_F64 ? DTYPE_F64 : type;
}

static double rounded(enum dtype type, double value)
{
    return num_to_double(type, num_from_double(type, value));
}

static double double_of(const struct num_exact *value)
{
    return double_from_bits(num_pack(DTYPE_F64, *value, NUM_NEAREST_EVEN, NUM_IEEE));
}

static uint64_t integer_of(const struct num_exact *value)
{
    return num_pack(DTYPE_I64, *value, NUM_TOWARD_ZERO, NUM_WRAP);
}

// ---- rules ------------------------------------------------------------------

static enum error check_types(const struct request *request, struct diagnostic *diagnostic)
{
    const bool latest = request->attribute[OPSET].integer >= STASH_FROM_OPSET;
    const enum dtype type = request->input[RANGE_START].dtype;
    enum error error = operation_check_dtype(request, RANGE_START,
                                             first_types | (latest ? narrow_types : 0), diagnostic);
    for (unsigned input = LIMIT; input <= DELTA && !error; input++)
        error = operation_check_dtype(request, input, DTYPE_BIT(type), diagnostic);
    for (unsigned input = RANGE_START; input <= DELTA && !error; input++)
        error = operation_check_scalar(request, input, false, diagnostic);
    if (error)
        return error;
    if (request->attribute[STASH_TYPE].present && !latest)
        return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                               "stash_type came with opset %d, not with %" PRId64, STASH_FROM_OPSET,
                               request->attribute[OPSET].integer);
    if (DTYPE_BIT(type) & narrow_types && stash_of(request) == DTYPE_NONE)
        return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                               "stash_type is %" PRId64
                               "; expected FLOAT (1), FLOAT16 (10), DOUBLE (11) or BFLOAT16 (16)",
                               request->attribute[STASH_TYPE].integer);
    return ERROR_NONE;
}

static enum error refuse_input(const struct request *request, unsigned input, const char *why,
                               struct diagnostic *diagnostic)
{
    char text[NUM_TEXT_SIZE];
    const struct tensor *const tensor = &request->input[input];
    num_format(tensor->dtype, element_load(tensor->data, dtype_size(tensor->dtype), 0), text,
               sizeof text);
    return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT, "input %s is %s%s",
                           inputs[input].name, text, why);
}

// The number as it came, and cast to the type of the arithmetic.
static enum error read_input(const struct request *request, unsigned input, enum dtype accumulator,
                             struct num_exact *given, struct num_exact *cast,
                             struct diagnostic *diagnostic)
{
    const struct tensor *const tensor = &request->input[input];
    const uint64_t bits = element_load(tensor->data, dtype_size(tensor->dtype), 0);
    const bool in_32_bits = is_integral(tensor->dtype) && is_in_32_bits(request),
               saturates = in_32_bits && input != RANGE_START &&
                           request->profile.option[ARITHMETIC] == ARITHMETIC_I32_SATURATED;
    const enum dtype to = in_32_bits ? DTYPE_I32 : accumulator;
    *given = num_unpack(tensor->dtype, bits);
    if (given->kind != NUM_FINITE)
        return refuse_input(request, input, "; expected a finite number", diagnostic);
    *cast = num_unpack(to, num_convert(to, tensor->dtype, bits, NUM_NEAREST_EVEN,
                                       saturates ? NUM_SATURATE : NUM_WRAP));
    if (cast->kind != NUM_FINITE)
        return refuse_input(request, input, ", which lies beyond the type of stash_type",
                            diagnostic);
    if (input == DELTA && !cast->significand)
        return refuse_input(request, input,
                            given->significand ? ", which is 0 as the type that it is computed in"
                                               : "; no range has a delta of 0",
                            diagnostic);
    return ERROR_NONE;
}

// ---- the number of elements -------------------------------------------------

static enum error refuse_count(struct diagnostic *diagnostic)
{
    return diagnostic_fail(diagnostic, ERROR_TOO_LARGE,
                           "from start to limit there are more than 2^53 steps of delta; at most "
                           "2^53 elements are supported");
}

// The formula from its span on: the quotient is rounded to `type`.
static enum error count_quotient(const struct request *request, enum dtype type, double span,
                                 double delta, uint64_t *count, struct diagnostic *diagnostic)
{
    if (!isfinite(span) || delta == 0)
        return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                               "limit - start is not finite, or delta is 0, in the type in which "
                               "elements are counted");
    const uint16_t *const option = request->profile.option;
    const double ratio = rounded(type, span / delta);
    const double quotient = option[COUNT_DIRECTION] ? fabs(ratio) : ratio;
    const double whole = option[COUNT_ROUNDING] == COUNT_ROUNDING_UP
                             ? ceil(quotient)
                             : floor(quotient) + (double)(option[COUNT_ROUNDING] - 1);
    if (whole > (double)RANGE_COUNT_MAX)
        return refuse_count(diagnostic);
    *count = whole > 0 ? (uint64_t)whole : 0;
    return ERROR_NONE;
}

static enum error count_floating(const struct request *request, enum dtype span, enum dtype ratio,
                                 const struct num_exact *value, uint64_t *count,
                                 struct diagnostic *diagnostic)
{
    const double start = rounded(span, double_of(&value[RANGE_START])),
                 limit = rounded(span, double_of(&value[LIMIT]));
    return count_quotient(request, ratio, rounded(span, limit - start),
                          rounded(span, double_of(&value[DELTA])), count, diagnostic);
}

static enum error count_exactly(const struct request *request, const struct num_exact *value,
                                uint64_t *count, struct diagnostic *diagnostic)
{
    const uint16_t *const option = request->profile.option;
    return range_count_exactly(&value[RANGE_START], &value[LIMIT], &value[DELTA],
                               option[COUNT_ROUNDING], option[COUNT_DIRECTION], count)
               ? ERROR_NONE
               : refuse_count(diagnostic);
}

static enum error count_integers(const struct request *request, enum dtype type,
                                 const struct num_exact *value, uint64_t *count,
                                 struct diagnostic *diagnostic)
{
    const uint64_t start = integer_of(&value[RANGE_START]), limit = integer_of(&value[LIMIT]);
    switch (request->profile.option[INTEGRAL_COUNT]) {
    case INTEGERS_IN_F64:
        return count_floating(request, DTYPE_F64, DTYPE_F64, value, count, diagnostic);
    case INTEGERS_IN_F32:
        return count_floating(request, DTYPE_F32, DTYPE_F32, value, count, diagnostic);
    case QUOTIENT_IN_F64: {
        const double magnitude =
            (int64_t)start <= (int64_t)limit ? (double)(limit - start) : -(double)(start - limit);
        return count_quotient(request, DTYPE_F64, magnitude, double_of(&value[DELTA]), count,
                              diagnostic);
    }
    case WRAPPED: {
        const enum dtype width = is_in_32_bits(request) ? DTYPE_I32 : type;
        const struct num_exact wrapped[] = {
            [RANGE_START] = num_unpack(DTYPE_I64, 0),
            [LIMIT] = num_unpack(
                width, num_convert(width, DTYPE_U64, limit - start, NUM_NEAREST_EVEN, NUM_WRAP)),
            [DELTA] = value[DELTA]};
        return count_exactly(request, wrapped, count, diagnostic);
    }
    default:
        return count_exactly(request, value, count, diagnostic);
    }
}

static enum error count_elements(const struct request *request, enum dtype accumulator,
                                 const struct num_exact *given, const struct num_exact *cast,
                                 uint64_t *count, struct diagnostic *diagnostic)
{
    const enum dtype type = request->input[RANGE_START].dtype;
    if (is_integral(accumulator))
        return count_integers(request, type, cast, count, diagnostic);
    if (is_integral(type) || request->profile.option[ARITHMETIC] == ARITHMETIC_F32)
        return count_floating(request, accumulator, accumulator, cast, count, diagnostic);
    switch (request->profile.option[COUNT]) {
    case EXACTLY:
        return count_exactly(request, cast, count, diagnostic);
    case IN_TYPE:
        return count_floating(request, accumulator, accumulator, cast, count, diagnostic);
    case SPAN_IN_TYPE:
        return count_floating(request, accumulator, DTYPE_F64, cast, count, diagnostic);
    case IN_NARROW:
        return count_floating(request, type, type, given, count, diagnostic);
    case IN_F32:
        return count_floating(request, DTYPE_F32, DTYPE_F32, cast, count, diagnostic);
    default:
        return count_floating(request, DTYPE_F64, DTYPE_F64, cast, count, diagnostic);
    }
}

static enum error infer(const struct request *request, struct inference *inference,
                        struct diagnostic *diagnostic)
{
    struct num_exact given[3], cast[3];
    uint64_t *const own = inference->own.word;
    enum error error = check_types(request, diagnostic);
    if (error)
        return error;
    const enum dtype accumulator = accumulator_of(request);
    for (unsigned input = RANGE_START; input <= DELTA && !error; input++)
        error = read_input(request, input, accumulator, &given[input], &cast[input], diagnostic);
    if (!error)
        error = count_elements(request, accumulator, given, cast, &own[OWN_COUNT], diagnostic);
    if (error)
        return error;
    if (own[OWN_COUNT] > RANGE_WHOLE_MAX && !request->windowed)
        return diagnostic_fail(diagnostic, ERROR_TOO_LARGE,
                               "start, limit and delta give %" PRIu64
                               " elements, more than 2^31 - 1; ask for a window of them",
                               own[OWN_COUNT]);
    const bool integers = is_integral(accumulator);
    own[OWN_ACCUMULATOR] = accumulator;
    own[OWN_START] = integers ? integer_of(&cast[RANGE_START])
                              : num_pack(DTYPE_F64, cast[RANGE_START], NUM_NEAREST_EVEN, NUM_IEEE);
    own[OWN_DELTA] = integers ? integer_of(&cast[DELTA])
                              : num_pack(DTYPE_F64, cast[DELTA], NUM_NEAREST_EVEN, NUM_IEEE);
    inference->output[0] = (struct tensor){
        .dtype = request->input[RANGE_START].dtype, .rank = 1, .shape = {own[OWN_COUNT]}};
    return ERROR_NONE;
}

// ---- elements ---------------------------------------------------------------

static enum error fill(const struct request *request, const struct inference *inference,
                       const struct slice *slice, struct diagnostic *diagnostic)
{
    static const unsigned elements[] = {[MULTIPLY] = ELEMENT_MULTIPLY,
                                        [MULTIPLY_F64] = ELEMENT_MULTIPLY,
                                        [FUSED] = ELEMENT_FUSED,
                                        [RECURRENCE] = ELEMENT_RECURRENCE,
                                        [RECURRENCE_F64] = ELEMENT_RECURRENCE,
                                        [SECOND] = ELEMENT_MULTIPLY,
                                        [SECOND_F64] = ELEMENT_MULTIPLY};
    const uint64_t *const own = inference->own.word;
    const uint16_t *const option = request->profile.option;
    const enum dtype accumulator = (enum dtype)own[OWN_ACCUMULATOR];
    struct range range = {.type = inference->output[0].dtype,
                          .accumulator = accumulator,
                          .element = option[ELEMENT] < IN_PARTS ? elements[option[ELEMENT]]
                                                                : ELEMENT_RECURRENCE,
                          .integers = is_integral(accumulator),
                          .to_integer = NUM_TOWARD_ZERO,
                          .to_float = option[CAST] ? NUM_TOWARD_ZERO : NUM_NEAREST_EVEN,
                          .count = own[OWN_COUNT]};
    (void)diagnostic;
    if (option[ELEMENT] >= IN_PARTS)
        range.parts = strtoull(choices[ELEMENT].options[option[ELEMENT]] + strlen("recurrence_in_"),
                               NULL, 10);
    if (range.integers) {
        range.first_integer = own[OWN_START];
        range.step_integer = own[OWN_DELTA];
    } else {
        range.start = double_from_bits(own[OWN_START]);
        range.step = double_from_bits(own[OWN_DELTA]);
    }
    if (!range.integers && (option[ELEMENT] == SECOND || option[ELEMENT] == SECOND_F64)) {
        const double second = rounded(accumulator, range.start + range.step);
        range.step = rounded(accumulator, second - range.start);
    }
    range_fill(&range, slice->first, slice->count, slice->data);
    for (uint64_t i = 0; i < slice->count && is_in_32_bits(request) && range.type == DTYPE_I64; i++)
        ((int64_t *)slice->data)[i] = (int32_t)((const uint64_t *)slice->data)[i];
    return ERROR_NONE;
}

const struct operation onnx_range = {
    .name = "onnx.range",
    .summary = "ONNX Range: start, start + delta, ... up to and without limit",
    OPERATION_ATTRIBUTES(attributes),
    OPERATION_INPUTS(inputs),
    .outputs = OPERATION_WORDS("output"),
    OPERATION_CHOICES(choices),
    .plain_dtype = plain_dtype,
    .infer = infer,
    .fill = fill,
};
