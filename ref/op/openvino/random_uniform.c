// SPDX-License-Identifier: Apache-2.0
// openvino.random_uniform: OpenVINO RandomUniform-8, category Generation.
//
// Attributes, rules and the walk over a slice. How words are drawn is in random_uniform_words.c,
// how a word becomes a value in random_uniform_value.c. Left out: the nondeterministic sequence
// that both seeds zero ask for.

#include "ref/op/openvino/random_uniform.h"

#include <inttypes.h>
#include <math.h>

#include "ref/base/bytes.h"
#include "ref/num/small_float.h"
#include "ref/op/openvino/random_uniform_forms.h"
#include "ref/rng/philox_stream.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

static const struct attribute_spec attributes[] = {
    [RANDOM_UNIFORM_OUTPUT_TYPE] =
        ATTRIBUTE("output_type", DTYPE, REQUIRED,
                  .dtypes = DTYPES_FLOAT | DTYPE_BIT(DTYPE_I32) | DTYPE_BIT(DTYPE_I64)),
    [RANDOM_UNIFORM_GLOBAL_SEED] = ATTRIBUTE("global_seed", INTEGER64, DEFAULT),
    [RANDOM_UNIFORM_OP_SEED] = ATTRIBUTE("op_seed", INTEGER64, DEFAULT),
    [RANDOM_UNIFORM_ALIGNMENT] =
        ATTRIBUTE("alignment", WORD, DEFAULT, .words = OPERATION_WORDS("tensorflow", "pytorch")),
};

enum { SHAPE, MINVAL, MAXVAL };

static const struct choice choices[] = {
    [RANDOM_UNIFORM_PHILOX_READING] = {"philox_reading", OPERATION_WORDS("published", "literal")},
    [RANDOM_UNIFORM_ROUNDS] = {"rounds",
                               OPERATION_WORDS("10", "6", "7", "8", "9", "11", "12", "20")},
    [RANDOM_UNIFORM_ROUNDING] = {"rounding", OPERATION_WORDS("two_step", "fused")},
    [RANDOM_UNIFORM_I64_WORDS] = {"i64_words", OPERATION_WORDS("second_high", "one", "first_high")},
    [RANDOM_UNIFORM_F64_WORDS] = {"f64_words", OPERATION_WORDS("first_high", "second_high")},
    [RANDOM_UNIFORM_BF16_ROUNDING] = {"bf16_rounding",
                                      OPERATION_WORDS("nearest_even", "openvino", "openvino_span")},
    [RANDOM_UNIFORM_STATE] = {"state", OPERATION_WORDS("none", "skip_256_groups", "skip_groups",
                                                       "skip_256_elements")},
    [RANDOM_UNIFORM_MANTISSA] = {"mantissa", OPERATION_WORDS("low_bits", "high_bits")},
    [RANDOM_UNIFORM_INTEGER_RANGE] = {"integer_range",
                                      OPERATION_WORDS("modulo", "multiply_high", "modulo_inclusive",
                                                      "signed_span", "signed_span_down")},
    [RANDOM_UNIFORM_SEEDS] = {"seeds", OPERATION_WORDS("as_named", "swapped", "low_32_bits")},
    [RANDOM_UNIFORM_COUNTER_START] = {"counter_start", OPERATION_WORDS("zero", "one")},
    [RANDOM_UNIFORM_COUNTER_HALVES] = {"counter_halves", OPERATION_WORDS("group_low", "seed_low")},
    [RANDOM_UNIFORM_WORD_ORDER] = {"word_order",
                                   OPERATION_WORDS("ascending", "descending", "pairs_swapped")},
};

static enum dtype plain_dtype(const struct request *request, unsigned input)
{
    return input == SHAPE ? DTYPE_I64
                          : (enum dtype)request->attribute[RANDOM_UNIFORM_OUTPUT_TYPE].integer;
}

// Whether a < b, for bits of `dtype`; false when either is NaN.
static bool value_less(enum dtype dtype, uint64_t a, uint64_t b)
{
    if (dtype_kind(dtype) == DTYPE_KIND_FLOAT)
        return num_to_double(dtype, a) < num_to_double(dtype, b);
    return dtype == DTYPE_I32 ? (int32_t)a < (int32_t)b : (int64_t)a < (int64_t)b;
}

static enum error check_bounds(const struct request *request, enum dtype type, uint64_t *minimum,
                               uint64_t *maximum, struct diagnostic *diagnostic)
{
    for (unsigned input = MINVAL; input <= MAXVAL; input++) {
        enum error error = operation_check_dtype(request, input, DTYPE_BIT(type), diagnostic);
        if (!error)
            error = operation_check_scalar(request, input, true, diagnostic);
        if (error)
            return error;
        const uint64_t bits = element_load(request->input[input].data, dtype_size(type), 0);
        if (dtype_kind(type) == DTYPE_KIND_FLOAT && isnan(num_to_double(type, bits)))
            return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT, "input %s is NaN",
                                   request->operation->inputs[input].name);
        *(input == MINVAL ? minimum : maximum) = bits;
    }
    if (!value_less(type, *minimum, *maximum))
        return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                               "minval must be less than maxval");
    return ERROR_NONE;
}

static enum error set_output_shape(const struct request *request, struct tensor *output,
                                   struct diagnostic *diagnostic)
{
    const struct tensor *const shape = &request->input[SHAPE];
    const enum error error = operation_check_dtype(
        request, SHAPE, DTYPE_BIT(DTYPE_I32) | DTYPE_BIT(DTYPE_I64), diagnostic);
    if (error)
        return error;
    if (shape->rank != 1) {
        char text[96];
        return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                               "input shape is %s; expected one dimension",
                               tensor_describe(shape, text, sizeof text));
    }
    if (shape->shape[0] > TENSOR_RANK_MAX)
        return diagnostic_fail(diagnostic, ERROR_TOO_LARGE,
                               "input shape has %" PRIu64 " dimensions; at most %d are supported",
                               shape->shape[0], TENSOR_RANK_MAX);
    int64_t sizes[TENSOR_RANK_MAX] = {0};
    for (uint64_t i = 0; i < shape->shape[0]; i++)
        sizes[i] = operation_load_integer(shape, i);
    return operation_set_shape(output, sizes, shape->shape[0], "input shape", diagnostic);
}

static enum error infer(const struct request *request, struct inference *inference,
                        struct diagnostic *diagnostic)
{
    const enum dtype type = (enum dtype)request->attribute[RANDOM_UNIFORM_OUTPUT_TYPE].integer;
    struct tensor *const output = &inference->output[0];
    enum error error = set_output_shape(request, output, diagnostic);
    if (!error)
        error = check_bounds(request, type, &inference->own.word[RANDOM_UNIFORM_OWN_MINIMUM],
                             &inference->own.word[RANDOM_UNIFORM_OWN_MAXIMUM], diagnostic);
    if (error)
        return error;
    if (!request->attribute[RANDOM_UNIFORM_GLOBAL_SEED].integer &&
        !request->attribute[RANDOM_UNIFORM_OP_SEED].integer)
        return diagnostic_fail(
            diagnostic, ERROR_NONDETERMINISTIC,
            "global_seed and op_seed are both 0, which asks for a nondeterministic sequence");
    output->dtype = type;
    uint64_t count;
    tensor_count(output, &count);
    inference->own.word[RANDOM_UNIFORM_OWN_COUNT] = count;
    return ERROR_NONE;
}

// Outputs of this size no core's caches hold.
enum { STREAMED_BYTES = 8 << 20, ALIGNMENT = 64 };

// Makes values of as many of the next `count` words as can be drawn and made at once; says how many
// words.
static size_t draw_whole_blocks(struct random_uniform_words *words, uint64_t count, void *data)
{
    struct philox_stream stream;
    struct random_uniform_drawn drawn;
    if (!random_uniform_words_drawn(words, count, &stream, &drawn))
        return 0;
    const size_t made = 4 * random_uniform_values_drawn(words->uniform, &drawn, data);
    words->next += made;
    return made;
}

static enum error fill(const struct request *request, const struct inference *inference,
                       const struct slice *slice, struct diagnostic *diagnostic)
{
    (void)diagnostic;
    struct random_uniform uniform;
    random_uniform_start(&uniform, request, inference, slice->count);
    const unsigned per_element = random_uniform_words_per_element(&uniform);
    const size_t size = dtype_size(uniform.type);
    struct random_uniform_words words;
    random_uniform_words_start(&words, &uniform, slice->run, slice->first * per_element);
    uniform.streamed = slice->count >= STREAMED_BYTES / size;
    // After a first short chunk the others begin aligned, or with a block.
    const size_t skew = uniform.streamed ? (uintptr_t)slice->data % ALIGNMENT / size
                                         : (size_t)(slice->first % (4 / per_element));
    uint64_t most = RANDOM_UNIFORM_CHUNK / per_element - skew;
    for (uint64_t done = 0; done < slice->count; most = RANDOM_UNIFORM_CHUNK / per_element) {
        uint32_t word[RANDOM_UNIFORM_CHUNK];
        unsigned char *const data = (unsigned char *)slice->data + done * size;
        const uint64_t left = slice->count - done;
        const size_t drawn =
            skew && !done ? 0 : draw_whole_blocks(&words, left * per_element, data);
        const size_t count = drawn         ? drawn / per_element
                             : left < most ? (size_t)left
                                           : (size_t)most;
        if (!drawn) {
            random_uniform_words_next(&words, word, count * per_element);
            random_uniform_values(&uniform, word, count, data);
        }
        done += count;
    }
#if defined(__x86_64__)
    if (uniform.streamed)
        _mm_sfence();
#endif
    return ERROR_NONE;
}

const struct operation openvino_random_uniform = {
    .name = "openvino.random_uniform",
    .summary = "OpenVINO RandomUniform-8: uniform values in [minval, maxval) from Philox4x32-10 or "
               "mt19937",
    OPERATION_ATTRIBUTES(attributes),
    OPERATION_INPUT_ROWS({.name = "shape"}, {.name = "minval"}, {.name = "maxval"}),
    .outputs = OPERATION_WORDS("output"),
    OPERATION_CHOICES(choices),
    .plain_dtype = plain_dtype,
    .infer = infer,
    .fill = fill,
};
