// SPDX-License-Identifier: Apache-2.0
// openvino.range: OpenVINO Range-4, category Generation.
//
// The rules, the casts and the number of elements. Exact counts are in range_count.c, the elements
// in range_value.c. Where the text is undefined (a step of 0, NaN, infinities) the request is
// refused.

#include "ref/op/openvino/range.h"

#include <stdlib.h>
#include <string.h>
#include <inttypes.h>
#include <math.h>

#include "ref/base/bytes.h"
#include "ref/num/small_float.h"
#include "ref/num/text.h"

enum { OUTPUT_TYPE };

static const struct attribute_spec attributes[] = {
    [OUTPUT_TYPE] = {.name = "output_type",
                     .kind = ATTRIBUTE_DTYPE,
                     .presence = ATTRIBUTE_REQUIRED,
                     .dtypes = DTYPES_NUMERIC},
};

static const struct input_spec inputs[] = {[RANGE_START] = {.name = "start"},
                                           [RANGE_STOP] = {.name = "stop"},
                                           [RANGE_STEP] = {.name = "step"}};

static const char *const outputs[] = {"output", NULL};

static const struct choice choices[] = {
    // in_registers_of_N: made N bytes at a time, each from its first element as it is stored.
    // recurrence_in_N: shared among N threads, each of which starts from start + i * step.
    [RANGE_ELEMENT] = {"element",
                       OPERATION_WORDS("multiply", "multiply_f64", "fused", "recurrence",
                                       "recurrence_f64", "in_registers_of_32", "in_registers_of_64",
                                       "recurrence_in_1", "recurrence_in_2", "recurrence_in_3",
                                       "recurrence_in_4", "recurrence_in_6", "recurrence_in_8",
                                       "recurrence_in_12", "recurrence_in_16", "recurrence_in_24",
                                       "recurrence_in_32", "recurrence_in_48", "recurrence_in_64",
                                       "recurrence_in_96", "recurrence_in_128")},
    // accumulate_type: f64 for f64, f32 for the other floating outputs.
    [RANGE_COUNT] = {"count", OPERATION_WORDS("f64", "f32", "exact", "accumulate_type")},
    [RANGE_CAST_FIRST] = {"cast_first",
                          OPERATION_WORDS("integral", "never", "always", "always_toward_zero")},
    // What becomes of an element, or of an input under `always`, beyond an integral output type.
    [RANGE_INTEGER_OVERFLOW] = {"integer_overflow", OPERATION_WORDS("wrap", "saturate")},
    [RANGE_FLOAT_TO_INTEGER] = {"float_to_integer",
                                OPERATION_WORDS("toward_zero", "down", "nearest_even")},
    // The type in which an integral output is counted once its inputs are integers; i32: the span
    // wraps there.
    [RANGE_INTEGRAL_COUNT] = {"integral_count", OPERATION_WORDS("exact", "f64", "f32", "i32")},
    // second: the step is the distance of the first two elements after the cast; from_f32: elements
    // are computed in f32 from uncast inputs, then rounded to nearest even and saturated; from_f64:
    // in f64, then cut off and wrapped.
    [RANGE_INTEGER_ELEMENT] = {"integer_element",
                               OPERATION_WORDS("integers", "second", "from_f32", "from_f64")},
    // i32: integers, and what an integral output makes of floats, pass through 32 bits.
    [RANGE_INTEGER_INPUT] = {"integer_input", OPERATION_WORDS("exact", "i32")},
    // The accumulator of a floating output: f32 at least, the output's own type, or f32 even for
    // f64.
    [RANGE_ACCUMULATE] = {"accumulate", OPERATION_WORDS("wider", "output_type", "f32")},
    [RANGE_COUNT_ROUNDING] = {"count_rounding", OPERATION_WORDS("up", "down", "down_plus_one")},
    // What becomes of an element of an 8-bit output, or of an input under `always`, that rounds
    // beyond it. infinite: an infinity, or NaN where the type has none.
    [RANGE_F8_OVERFLOW] = {"f8_overflow", OPERATION_WORDS("infinite", "saturate")},
    // magnitude: |stop - start| / |step|, as if every step pointed toward stop.
    [RANGE_COUNT_DIRECTION] = {"count_direction", OPERATION_WORDS("signed", "magnitude")},
    // f32: f64 inputs pass through f32, saturated.
    [RANGE_FLOAT_INPUT] = {"float_input", OPERATION_WORDS("exact", "f32")},
};
_Static_assert(OPERATION_ROWS(choices) == RANGE_CHOICES, "one row a choice");

enum {
    OWN_COUNT,
    OWN_FIRST_INTEGER,
    OWN_STEP_INTEGER,
    OWN_INSIDE_FIRST,
    OWN_INSIDE_END,
    OWN_START, // as f64
    OWN_STEP,
};

// The three inputs as exact numbers: as they came, and after the cast that stands before the
// formula.
struct values {
    enum dtype type; // of the output
    bool integral;
    struct num_exact given[3], cast[3];
};

static enum dtype plain_dtype(const struct request *request, unsigned input)
{
    (void)input;
    return (enum dtype)request->attribute[OUTPUT_TYPE].integer;
}

// The number in input `input`, for messages.
static const char *input_text(const struct request *request, unsigned input, char *text,
                              size_t size)
{
    const struct tensor *const tensor = &request->input[input];
    num_format(tensor->dtype, element_load(tensor->data, dtype_size(tensor->dtype), 0), text, size);
    return text;
}

static enum num_rounding to_integer(const struct request *request)
{
    static const enum num_rounding rounding[] = {NUM_TOWARD_ZERO, NUM_DOWN, NUM_NEAREST_EVEN};
    return rounding[request->profile.option[RANGE_FLOAT_TO_INTEGER]];
}

// Whether numbers beyond an output of `type` become its ends.
static bool saturates(const struct request *request, enum dtype type)
{
    const uint16_t *const option = request->profile.option;
    if (dtype_kind(type) != DTYPE_KIND_FLOAT)
        return option[RANGE_INTEGER_OVERFLOW] == OVERFLOW_SATURATE;
    return DTYPE_BIT(type) & DTYPES_F8 && option[RANGE_F8_OVERFLOW] == F8_OVERFLOW_SATURATE;
}

static struct num_exact cast(const struct request *request, const struct values *values,
                             enum dtype from, uint64_t bits)
{
    const struct num_exact given = num_unpack(from, bits);
    const uint16_t *const option = request->profile.option;
    if ((values->integral || dtype_kind(from) != DTYPE_KIND_FLOAT) &&
        option[RANGE_INTEGER_INPUT] == INTEGER_INPUT_I32)
        return num_unpack(DTYPE_I32,
                          num_convert(DTYPE_I32, from, bits, to_integer(request), NUM_WRAP));
    const bool always = option[RANGE_CAST_FIRST] == CAST_ALWAYS ||
                        option[RANGE_CAST_FIRST] == CAST_ALWAYS_TOWARD_ZERO;
    if (!always)
        return values->integral ? range_to_integer(given, to_integer(request)) : given;
    const bool cut = option[RANGE_CAST_FIRST] == CAST_ALWAYS_TOWARD_ZERO;
    const enum num_rounding rounding = values->integral ? to_integer(request)
                                       : cut            ? NUM_TOWARD_ZERO
                                                        : NUM_NEAREST_EVEN;
    const enum num_overflow overflow = saturates(request, values->type) ? NUM_SATURATE : NUM_WRAP;
    return num_unpack(values->type, num_convert(values->type, from, bits, rounding, overflow));
}

static enum error refuse_input(const struct request *request, unsigned input, const char *why,
                               struct diagnostic *diagnostic)
{
    char text[NUM_TEXT_SIZE];
    return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT, "input %s is %s (%s)%s",
                           inputs[input].name, input_text(request, input, text, sizeof text),
                           dtype_name(request->input[input].dtype), why);
}

static enum error read_input(const struct request *request, unsigned input, struct values *values,
                             struct diagnostic *diagnostic)
{
    enum error error = operation_check_dtype(request, input, DTYPES_NUMERIC, diagnostic);
    if (!error)
        error = operation_check_scalar(request, input, false, diagnostic);
    if (error)
        return error;
    const struct tensor *const tensor = &request->input[input];
    uint64_t bits = element_load(tensor->data, dtype_size(tensor->dtype), 0);
    enum dtype type = tensor->dtype;
    values->given[input] = num_unpack(type, bits);
    if (values->given[input].kind != NUM_FINITE)
        return refuse_input(request, input, "; expected a finite number", diagnostic);
    if (type == DTYPE_F64 && request->profile.option[RANGE_FLOAT_INPUT] == FLOAT_INPUT_F32) {
        type = DTYPE_F32;
        bits = num_convert(DTYPE_F32, DTYPE_F64, bits, NUM_NEAREST_EVEN, NUM_SATURATE);
        values->given[input] = num_unpack(type, bits);
    }
    values->cast[input] = cast(request, values, type, bits);
    if (values->cast[input].kind != NUM_FINITE)
        return refuse_input(request, input, ", which lies beyond the output type", diagnostic);
    if (input == RANGE_STEP && !values->cast[input].significand)
        return refuse_input(request, input,
                            values->given[input].significand
                                ? ", which is 0 as the output type; no range has a step of 0"
                                : "; no range has a step of 0",
                            diagnostic);
    return ERROR_NONE;
}

static enum error refuse_count(const struct request *request, struct diagnostic *diagnostic)
{
    char start[NUM_TEXT_SIZE], stop[NUM_TEXT_SIZE], step[NUM_TEXT_SIZE];
    return diagnostic_fail(
        diagnostic, ERROR_TOO_LARGE,
        "from start %s to stop %s there are more than 2^53 steps of input step %s; at most 2^53 "
        "elements are "
        "supported",
        input_text(request, RANGE_START, start, sizeof start),
        input_text(request, RANGE_STOP, stop, sizeof stop),
        input_text(request, RANGE_STEP, step, sizeof step));
}

static double number(enum dtype type, const struct num_exact *value)
{
    return num_to_double(type, num_pack(type, *value, NUM_NEAREST_EVEN, NUM_IEEE));
}

// The text's formula in f64 or in f32, each operation rounded once.
static enum error count_in(enum dtype type, const struct request *request,
                           const struct num_exact *value, uint64_t *count,
                           struct diagnostic *diagnostic)
{
    const double start = number(type, &value[RANGE_START]), stop = number(type, &value[RANGE_STOP]);
    const double step = number(type, &value[RANGE_STEP]);
    const double span = type == DTYPE_F32 ? (double)((float)stop - (float)start) : stop - start;
    const double ratio = type == DTYPE_F32 ? (double)((float)span / (float)step) : span / step;
    const bool magnitude =
        request->profile.option[RANGE_COUNT_DIRECTION] == COUNT_DIRECTION_MAGNITUDE;
    const double quotient = magnitude ? fabs(ratio) : ratio;
    if (!isfinite(span) || step == 0) {
        char text[2][NUM_TEXT_SIZE];
        return diagnostic_fail(
            diagnostic, ERROR_INVALID_ARGUMENT,
            "stop - start is not finite in %s, or the step is 0 there: input stop is %s, input "
            "start is %s",
            dtype_name(type), input_text(request, RANGE_STOP, text[0], sizeof text[0]),
            input_text(request, RANGE_START, text[1], sizeof text[1]));
    }
    const unsigned rounding = request->profile.option[RANGE_COUNT_ROUNDING];
    const double whole = rounding == COUNT_ROUNDING_UP
                             ? ceil(quotient)
                             : floor(quotient) + (double)(rounding == COUNT_ROUNDING_DOWN_PLUS_ONE);
    if (whole > (double)RANGE_COUNT_MAX)
        return refuse_count(request, diagnostic);
    *count = whole > 0 ? (uint64_t)whole : 0;
    return ERROR_NONE;
}

// stop - start modulo 2^32, signed.
static struct num_exact wrapped_span(const struct num_exact *value)
{
    const uint64_t start = num_pack(DTYPE_I64, value[RANGE_START], NUM_TOWARD_ZERO, NUM_WRAP),
                   stop = num_pack(DTYPE_I64, value[RANGE_STOP], NUM_TOWARD_ZERO, NUM_WRAP);
    return num_unpack(DTYPE_I32, (stop - start) & UINT32_MAX);
}

static enum error count_elements(const struct request *request, const struct values *values,
                                 uint64_t *count, struct diagnostic *diagnostic)
{
    const bool narrow = !values->integral && values->type != DTYPE_F64;
    const enum dtype floating[] = {[COUNT_F64] = DTYPE_F64,
                                   [COUNT_F32] = DTYPE_F32,
                                   [COUNT_EXACT] = DTYPE_NONE,
                                   [COUNT_ACCUMULATE_TYPE] = narrow ? DTYPE_F32 : DTYPE_F64};
    static const enum dtype integral[] = {[INTEGRAL_COUNT_EXACT] = DTYPE_NONE,
                                          [INTEGRAL_COUNT_F64] = DTYPE_F64,
                                          [INTEGRAL_COUNT_F32] = DTYPE_F32,
                                          [INTEGRAL_COUNT_I32] = DTYPE_I32};
    const uint16_t *const option = request->profile.option;
    const bool uncast = option[RANGE_CAST_FIRST] == CAST_NEVER ||
                        option[RANGE_INTEGER_ELEMENT] != INTEGER_ELEMENT_INTEGERS;
    const struct num_exact *const value = values->integral && uncast ? values->given : values->cast;
    const enum dtype type = values->integral && !uncast ? integral[option[RANGE_INTEGRAL_COUNT]]
                                                        : floating[option[RANGE_COUNT]];
    if (type == DTYPE_I32) {
        const struct num_exact zero = num_unpack(DTYPE_I32, 0), span = wrapped_span(value);
        return range_count_exactly(&zero, &span, &value[RANGE_STEP], option[RANGE_COUNT_ROUNDING],
                                   option[RANGE_COUNT_DIRECTION], count)
                   ? ERROR_NONE
                   : refuse_count(request, diagnostic);
    }
    if (type != DTYPE_NONE)
        return count_in(type, request, value, count, diagnostic);
    return range_count_exactly(&value[RANGE_START], &value[RANGE_STOP], &value[RANGE_STEP],
                               option[RANGE_COUNT_ROUNDING], option[RANGE_COUNT_DIRECTION], count)
               ? ERROR_NONE
               : refuse_count(request, diagnostic);
}

// Which elements of an integral output lie inside its type.
static void find_inside(const struct values *values, uint64_t *first, uint64_t *end)
{
    const struct num_exact *const start = &values->cast[RANGE_START], *const step =
                                                                          &values->cast[RANGE_STEP];
    const struct num_exact infinite = {.kind = NUM_INFINITE, .negative = !step->negative};
    const uint64_t near_bits = num_pack(values->type, infinite, NUM_TOWARD_ZERO, NUM_SATURATE);
    const uint64_t width = dtype_bits(values->type);
    const uint64_t far_bits = ~near_bits & (width == 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1);
    const struct num_exact near = num_unpack(values->type, near_bits),
                           far = num_unpack(values->type, far_bits);
    const struct range_quotient to_near = range_divide(start, &near, step),
                                to_far = range_divide(start, &far, step);
    *first = to_near.negative ? 0 : to_near.huge ? UINT64_MAX : to_near.floor + !to_near.exact;
    *end = to_far.negative ? 0 : to_far.huge ? UINT64_MAX : to_far.floor + 1;
}

static void infer_integers(const struct request *request, const struct values *values,
                           uint64_t *own)
{
    const struct num_exact *const start = &values->cast[RANGE_START], *const step =
                                                                          &values->cast[RANGE_STEP];
    own[OWN_FIRST_INTEGER] = num_pack(DTYPE_U64, *start, NUM_TOWARD_ZERO, NUM_WRAP);
    own[OWN_STEP_INTEGER] = num_pack(DTYPE_U64, *step, NUM_TOWARD_ZERO, NUM_WRAP);
    if (request->profile.option[RANGE_INTEGER_ELEMENT] == INTEGER_ELEMENT_SECOND) {
        const double second = number(DTYPE_F64, &values->given[RANGE_START]) +
                              number(DTYPE_F64, &values->given[RANGE_STEP]);
        own[OWN_STEP_INTEGER] =
            num_convert(DTYPE_U64, DTYPE_F64, double_bits(second), to_integer(request), NUM_WRAP) -
            own[OWN_FIRST_INTEGER];
    }
    if (saturates(request, values->type))
        find_inside(values, &own[OWN_INSIDE_FIRST], &own[OWN_INSIDE_END]);
}

static enum error infer(const struct request *request, struct inference *inference,
                        struct diagnostic *diagnostic)
{
    struct values values = {.type = (enum dtype)request->attribute[OUTPUT_TYPE].integer};
    values.integral = dtype_kind(values.type) != DTYPE_KIND_FLOAT;
    enum error error = ERROR_NONE;
    for (unsigned input = RANGE_START; input <= RANGE_STEP && !error; input++)
        error = read_input(request, input, &values, diagnostic);
    uint64_t *const own = inference->own.word;
    if (!error)
        error = count_elements(request, &values, &own[OWN_COUNT], diagnostic);
    if (error)
        return error;
    if (own[OWN_COUNT] > RANGE_WHOLE_MAX && !request->windowed)
        return diagnostic_fail(diagnostic, ERROR_TOO_LARGE,
                               "start, stop and step give %" PRIu64
                               " elements, more than 2^31 - 1; ask for a window of them",
                               own[OWN_COUNT]);
    if (values.integral)
        infer_integers(request, &values, own);
    const bool uncast =
        values.integral && request->profile.option[RANGE_INTEGER_ELEMENT] > INTEGER_ELEMENT_SECOND;
    const struct num_exact *const value = uncast ? values.given : values.cast;
    own[OWN_START] = num_pack(DTYPE_F64, value[RANGE_START], NUM_NEAREST_EVEN, NUM_IEEE);
    own[OWN_STEP] = num_pack(DTYPE_F64, value[RANGE_STEP], NUM_NEAREST_EVEN, NUM_IEEE);
    inference->output[0] =
        (struct tensor){.dtype = values.type, .rank = 1, .shape = {own[OWN_COUNT]}};
    return ERROR_NONE;
}

// The type in which elements are computed.
static enum dtype accumulator(const struct request *request, enum dtype type)
{
    const uint16_t *const option = request->profile.option;
    if (dtype_kind(type) != DTYPE_KIND_FLOAT)
        return option[RANGE_INTEGER_ELEMENT] == INTEGER_ELEMENT_FROM_F32 ? DTYPE_F32 : DTYPE_F64;
    if (option[RANGE_ELEMENT] == ELEMENT_MULTIPLY_F64 ||
        option[RANGE_ELEMENT] == ELEMENT_RECURRENCE_F64)
        return DTYPE_F64;
    if (option[RANGE_ELEMENT] == ELEMENT_IN_REGISTERS_OF_32 ||
        option[RANGE_ELEMENT] == ELEMENT_IN_REGISTERS_OF_64)
        return dtype_size(type) < 4 ? DTYPE_F32 : DTYPE_F64;
    if (option[RANGE_ACCUMULATE] == ACCUMULATE_OUTPUT_TYPE)
        return type;
    return type == DTYPE_F64 && option[RANGE_ACCUMULATE] != ACCUMULATE_F32 ? DTYPE_F64 : DTYPE_F32;
}

static struct range range_start(const struct request *request, const struct inference *inference)
{
    const uint16_t *const option = request->profile.option;
    const uint64_t *const own = inference->own.word;
    const enum dtype type = inference->output[0].dtype;
    const bool integral = dtype_kind(type) != DTYPE_KIND_FLOAT;
    const enum dtype in = accumulator(request, type);
    struct range range = {
        .type = type,
        .accumulator = in,
        .element = option[RANGE_ELEMENT],
        .integers = integral && option[RANGE_INTEGER_ELEMENT] <= INTEGER_ELEMENT_SECOND,
        .saturate = saturates(request, type),
        .first_integer = own[OWN_FIRST_INTEGER],
        .step_integer = own[OWN_STEP_INTEGER],
        .inside_first = own[OWN_INSIDE_FIRST],
        .inside_end = own[OWN_INSIDE_END],
        .to_integer = to_integer(request),
        .count = own[OWN_COUNT],
    };
    range.start = range_round(&range, double_from_bits(own[OWN_START]));
    range.step = range_round(&range, double_from_bits(own[OWN_STEP]));
    if (option[RANGE_ELEMENT] >= ELEMENT_RECURRENCE_PARTS) {
        const char *const name = choices[RANGE_ELEMENT].options[option[RANGE_ELEMENT]];
        range.element = ELEMENT_RECURRENCE;
        range.parts = strtoull(name + strlen("recurrence_in_"), NULL, 10);
    }
    if (integral && option[RANGE_INTEGER_ELEMENT] == INTEGER_ELEMENT_FROM_F32) {
        range.to_integer = NUM_NEAREST_EVEN;
        range.saturate = true;
    }
    return range;
}

static enum error fill(const struct request *request, const struct inference *inference,
                       const struct slice *slice, struct diagnostic *diagnostic)
{
    (void)diagnostic;
    const struct range range = range_start(request, inference);
    range_fill(&range, slice->first, slice->count, slice->data);
    return ERROR_NONE;
}

const struct operation openvino_range = {
    .name = "openvino.range",
    .summary =
        "OpenVINO Range-4: start, start + step, ... up to and without stop, of any numeric types",
    OPERATION_ATTRIBUTES(attributes),
    OPERATION_INPUTS(inputs),
    .outputs = outputs,
    OPERATION_CHOICES(choices),
    .plain_dtype = plain_dtype,
    .infer = infer,
    .fill = fill,
};
