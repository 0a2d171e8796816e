// SPDX-License-Identifier: Apache-2.0
// From words to values of openvino.random_uniform, each written operation rounded once.

#include <float.h>
#include <math.h>

#include "ref/base/bytes.h"
#include "ref/base/isa.h"
#include "ref/num/small_float.h"
#include "ref/op/openvino/random_uniform.h"
#include "ref/op/openvino/random_uniform_forms.h"

enum { ROUNDING_FUSED = 1 };
enum { BF16_ROUNDING_OPENVINO = 1, BF16_ROUNDING_OPENVINO_SPAN };
enum { I64_WORDS_FIRST_HIGH = 2 };
enum { RANGE_MULTIPLY_HIGH = 1, RANGE_MODULO_INCLUSIVE, RANGE_SIGNED_SPAN, RANGE_SIGNED_SPAN_DOWN };

__extension__ typedef unsigned __int128 uint128;

// One without functions: what is written here serves.
static const struct random_uniform_form random_uniform_form_portable;

static const struct random_uniform_form *form_chosen(void)
{
#if defined(__x86_64__)
    return ISA_FORM(isa_chosen(), &random_uniform_form, &random_uniform_form_portable);
#else
    return &random_uniform_form_portable;
#endif
}

// That of integers, with a shorter way for spans up to `most`.
static const struct random_uniform_form *form_of_integers(uint64_t span, uint64_t most)
{
#if defined(__x86_64__)
    if (isa_has_products() && span <= most)
        return &random_uniform_form_avx512i;
#endif
    (void)span;
    (void)most;
    return form_chosen();
}

// Words in memory, or blocks that are drawn, of which a vector form alone makes values.
struct source {
    const uint32_t *word; // NULL: blocks
    size_t count;         // of elements
    const struct random_uniform_drawn *drawn;
};

// What the form's function for `type` gives: elements, or blocks.
#define BY_FORM(form, type, numbers, from, data)                                                   \
    ((from)->drawn                                                                                 \
         ? (form)->type##_drawn((numbers), (from)->drawn, (data))                                  \
         : ((form)->type((numbers), (from)->word, (from)->count, (data), uniform->streamed),       \
            (from)->count))

// ---- integers ---------------------------------------------------------------

static uint64_t integer_in_range(const struct random_uniform *uniform, uint64_t word, uint64_t span,
                                 unsigned bits)
{
    switch (uniform->option[RANDOM_UNIFORM_INTEGER_RANGE]) {
    case RANGE_MULTIPLY_HIGH:
        return (uint64_t)((uint128)word * span >> bits) + uniform->minimum;
    case RANGE_MODULO_INCLUSIVE:
        return (span + 1 ? word % (span + 1) : word) + uniform->minimum;
    // A span with its highest bit set is taken as negative; the remainder is as C's, or has the
    // sign of the span.
    case RANGE_SIGNED_SPAN:
    case RANGE_SIGNED_SPAN_DOWN: {
        const int64_t divisor = uniform->type == DTYPE_I32 ? (int32_t)span : (int64_t)span;
        const uint64_t magnitude = divisor < 0 ? -(uint64_t)divisor : (uint64_t)divisor;
        const uint64_t rest =
            magnitude ? word % magnitude : word; // no span in order is 0: said to an analyser
        const bool down = uniform->option[RANDOM_UNIFORM_INTEGER_RANGE] == RANGE_SIGNED_SPAN_DOWN;
        return (down && divisor < 0 && rest ? rest - magnitude : rest) + uniform->minimum;
    }
    default:
        return word % span + uniform->minimum;
    }
}

struct random_uniform_integer random_uniform_integer_of(uint64_t span, uint64_t minimum,
                                                        unsigned bits)
{
    return (struct random_uniform_integer){
        .span = span, .multiplier = (UINT64_MAX >> (64 - bits)) / span, .minimum = minimum};
}

static size_t values_i32(const struct random_uniform *uniform, const struct source *from,
                         uint32_t *data)
{
    const uint32_t *const word = from->word;
    const size_t count = from->count;
    const uint32_t span = (uint32_t)(uniform->maximum - uniform->minimum),
                   minimum = (uint32_t)uniform->minimum;
    const bool modulo = !uniform->option[RANDOM_UNIFORM_INTEGER_RANGE];
    const struct random_uniform_integer integer = random_uniform_integer_of(span, minimum, 32);
    const struct random_uniform_form *const form = form_of_integers(span, RANDOM_UNIFORM_I32_SPAN);
    if (form->i32 && modulo)
        return BY_FORM(form, i32, &integer, from, data);
    for (size_t i = 0; i < count && !modulo; i++)
        data[i] = (uint32_t)integer_in_range(uniform, word[i], span, 32);
    for (size_t i = 0; i < count && modulo; i++) {
        const uint32_t rest = word[i] - (uint32_t)(word[i] * integer.multiplier >> 32) * span;
        data[i] = (rest < span ? rest : rest - span) + minimum;
    }
    return count;
}

static size_t values_i64(const struct random_uniform *uniform, const struct source *from,
                         uint64_t *data)
{
    const uint32_t *const word = from->word;
    const size_t count = from->count;
    const uint64_t span = uniform->maximum - uniform->minimum;
    const unsigned per_element = random_uniform_words_per_element(uniform);
    const bool first_high =
        uniform->pytorch || uniform->option[RANDOM_UNIFORM_I64_WORDS] == I64_WORDS_FIRST_HIGH;
    const struct random_uniform_integer integer =
        random_uniform_integer_of(span, uniform->minimum, 64);
    const bool modulo = !uniform->option[RANDOM_UNIFORM_INTEGER_RANGE];
    const struct random_uniform_form *const form = form_of_integers(span, RANDOM_UNIFORM_I64_SPAN);
    if (form->i64 && modulo && per_element == 2 && !first_high)
        return BY_FORM(form, i64, &integer, from, data);
    for (size_t i = 0; i < count; i++) {
        data[i] = word[per_element * i];
        if (per_element == 2)
            data[i] = first_high ? data[i] << 32 | word[2 * i + 1]
                                 : data[i] | (uint64_t)word[2 * i + 1] << 32;
    }
    for (size_t i = 0; i < count; i++) {
        const uint64_t x = data[i],
                       rest = x - (uint64_t)((uint128)x * integer.multiplier >> 64) * span;
        data[i] = modulo ? (rest < span ? rest : rest - span) + uniform->minimum
                         : integer_in_range(uniform, x, span, 32 * per_element);
    }
    return count;
}

// ---- f32 and f64 ------------------------------------------------------------

// A NaN made here comes from infinite bounds or an overflowing span alone.
static bool makes_nan(double span, double minimum)
{
    return isinf(span) || isinf(minimum);
}

static size_t values_f32(const struct random_uniform *uniform, const struct source *from,
                         float *data)
{
    const uint32_t *const word = from->word;
    const size_t count = from->count;
    const float minimum = float_from_bits((uint32_t)uniform->minimum),
                maximum = float_from_bits((uint32_t)uniform->maximum);
    const float span = maximum - minimum;
    const unsigned shift =
        uniform->option[RANDOM_UNIFORM_MANTISSA] ? (uniform->pytorch ? 8 : 9) : 0;
    const struct random_uniform_form *const form = form_chosen();
    if (form->f32 && uniform->option[RANDOM_UNIFORM_ROUNDING] != ROUNDING_FUSED &&
        !makes_nan((double)span, (double)minimum)) {
        const struct random_uniform_real real = {uniform->pytorch, shift, (double)span,
                                                 (double)minimum};
        return BY_FORM(form, f32, &real, from, data);
    }
    if (uniform->pytorch)
        for (size_t i = 0; i < count; i++)
            data[i] = (float)(int32_t)(word[i] >> shift & 0xffffff) * 0x1p-24f;
    else
        for (size_t i = 0; i < count; i++)
            data[i] = float_from_bits(0x3f800000 | (word[i] >> shift & 0x7fffff)) - 1.0f;
    if (uniform->option[RANDOM_UNIFORM_ROUNDING] == ROUNDING_FUSED)
        for (size_t i = 0; i < count; i++)
            data[i] = fmaf(data[i], span, minimum);
    else
        for (size_t i = 0; i < count; i++)
            data[i] = data[i] * span + minimum;
    if (makes_nan((double)span, (double)minimum))
        for (size_t i = 0; i < count; i++)
            if (isnan(data[i]))
                data[i] = float_from_bits(0x7fc00000);
    return count;
}

static size_t values_f64(const struct random_uniform *uniform, const struct source *from,
                         double *data)
{
    const uint32_t *const word = from->word;
    const size_t count = from->count;
    const double minimum = double_from_bits(uniform->minimum),
                 maximum = double_from_bits(uniform->maximum);
    const double span = maximum - minimum;
    const unsigned first = uniform->option[RANDOM_UNIFORM_F64_WORDS] ? 1 : 0;
    const struct random_uniform_form *const form = form_chosen();
    if (form->f64 && !first && !uniform->pytorch &&
        uniform->option[RANDOM_UNIFORM_ROUNDING] != ROUNDING_FUSED && !makes_nan(span, minimum)) {
        const struct random_uniform_real real = {
            false, uniform->option[RANDOM_UNIFORM_MANTISSA] ? 12 : 0, span, minimum};
        return BY_FORM(form, f64, &real, from, data);
    }
    for (size_t i = 0; i < count; i++) {
        const uint64_t x = (uint64_t)word[2 * i + first] << 32 | word[2 * i + 1 - first];
        const unsigned shift =
            uniform->option[RANDOM_UNIFORM_MANTISSA] ? (uniform->pytorch ? 11 : 12) : 0;
        const double u = uniform->pytorch
                             ? (double)(int64_t)(x >> shift & UINT64_C(0x1fffffffffffff)) * 0x1p-53
                             : double_from_bits(UINT64_C(0x3ff) << 52 |
                                                (x >> shift & UINT64_C(0xfffffffffffff))) -
                                   1.0;
        data[i] = uniform->option[RANDOM_UNIFORM_ROUNDING] == ROUNDING_FUSED ? fma(u, span, minimum)
                                                                             : u * span + minimum;
        if (isnan(data[i]))
            data[i] = double_from_bits(UINT64_C(0x7ff8) << 48);
    }
    return count;
}

// ---- f16 and bf16 -----------------------------------------------------------

// The plugin's own rounding of f32 to bf16, not to nearest even; an option to recognise it by.
static uint16_t round_bf16_openvino(float value)
{
    if (isnan(value))
        return 0x7fc0;
    const uint32_t bits = float_bits(value);
    return (uint16_t)((bits + ((bits & 0x10000) >> 1)) >> 16);
}

// To the nearest, as AVX-512's instruction has it: a subnormal is 0.
static uint16_t round_bf16_flushed(float value)
{
    const bool flushed = fabsf(value) < FLT_MIN;
    return (uint16_t)num_from_double(DTYPE_BF16, (double)(flushed ? copysignf(0, value) : value));
}

static uint16_t round_bf16(const struct random_uniform *uniform, float value)
{
    return uniform->option[RANDOM_UNIFORM_BF16_ROUNDING] == BF16_ROUNDING_OPENVINO
               ? round_bf16_openvino(value)
               : round_bf16_flushed(value);
}

static uint16_t store_bf16_openvino_tensorflow(const struct random_uniform *uniform, float u)
{
    const float minimum = (float)num_to_double(DTYPE_BF16, uniform->minimum);
    const float maximum = (float)num_to_double(DTYPE_BF16, uniform->maximum);
    const float span = (float)num_to_double(DTYPE_BF16, round_bf16_openvino(maximum - minimum));
    if (uniform->option[RANDOM_UNIFORM_ROUNDING] == ROUNDING_FUSED)
        return round_bf16(uniform, fmaf(u, span, minimum));
    const float product = (float)num_to_double(DTYPE_BF16, round_bf16(uniform, u * span));
    return round_bf16(uniform, product + minimum);
}

// TensorFlow alignment: u is exact in the type itself, and every node rounds to the type.
static uint16_t narrow_tensorflow(const struct random_uniform *uniform, unsigned draw)
{
    const enum dtype type = uniform->type;
    const double u = (double)draw * (type == DTYPE_F16 ? 0x1p-10 : 0x1p-7);
    if (type == DTYPE_BF16 && uniform->option[RANDOM_UNIFORM_BF16_ROUNDING])
        return store_bf16_openvino_tensorflow(uniform, (float)u);
    const uint64_t unit = num_from_double(type, u);
    const uint64_t span = num_subtract(type, uniform->maximum, uniform->minimum);
    if (uniform->option[RANDOM_UNIFORM_ROUNDING] == ROUNDING_FUSED)
        return (uint16_t)num_fma(type, unit, span, uniform->minimum);
    return (uint16_t)num_add(type, num_multiply(type, unit, span), uniform->minimum);
}

// PyTorch alignment: the span is rounded to f16, or to f32 for bf16; product and sum are f32 nodes;
// the result is one more.
static uint16_t narrow_pytorch(const struct random_uniform *uniform, unsigned draw)
{
    const enum dtype type = uniform->type;
    const float minimum = (float)num_to_double(type, uniform->minimum),
                maximum = (float)num_to_double(type, uniform->maximum);
    const float u = (float)draw * (type == DTYPE_F16 ? 0x1p-11f : 0x1p-8f);
    float span =
        type == DTYPE_F16
            ? (float)num_to_double(type, num_subtract(type, uniform->maximum, uniform->minimum))
            : maximum - minimum;
    if (type == DTYPE_BF16 &&
        uniform->option[RANDOM_UNIFORM_BF16_ROUNDING] == BF16_ROUNDING_OPENVINO_SPAN)
        span = (float)num_to_double(DTYPE_BF16, round_bf16_openvino(span));
    const float value = uniform->option[RANDOM_UNIFORM_ROUNDING] == ROUNDING_FUSED
                            ? fmaf(u, span, minimum)
                            : u * span + minimum;
    if (type == DTYPE_BF16 && uniform->option[RANDOM_UNIFORM_BF16_ROUNDING])
        return round_bf16_openvino(value);
    return (uint16_t)num_from_double(type, (double)value);
}

static uint16_t narrow_value(const struct random_uniform *uniform, unsigned draw)
{
    return uniform->pytorch ? narrow_pytorch(uniform, draw) : narrow_tensorflow(uniform, draw);
}

static unsigned narrow_bits(const struct random_uniform *uniform)
{
    return (uniform->type == DTYPE_F16 ? 10U : 7U) + (uniform->pytorch ? 1U : 0U);
}

// Whether vectors serve, and what they need: the rules of narrow_tensorflow without infinities.
static bool has_narrow_form(const struct random_uniform *uniform,
                            struct random_uniform_narrow *narrow)
{
    const enum dtype type = uniform->type;
    if (!form_chosen()->narrow || uniform->pytorch ||
        uniform->option[RANDOM_UNIFORM_BF16_ROUNDING] ||
        uniform->option[RANDOM_UNIFORM_ROUNDING] == ROUNDING_FUSED)
        return false;
    const unsigned bits = narrow_bits(uniform);
    const double span = num_to_double(type, num_subtract(type, uniform->maximum, uniform->minimum)),
                 minimum = num_to_double(type, uniform->minimum);
    *narrow = (struct random_uniform_narrow){
        .bf16 = type == DTYPE_BF16,
        .shift = uniform->option[RANDOM_UNIFORM_MANTISSA] ? 32 - bits : 0,
        .mask = (UINT32_C(1) << bits) - 1,
        .scale = (float)ldexp(span, -(int)bits),
        .minimum = (float)minimum};
    return !makes_nan(span, minimum);
}

bool random_uniform_wants_table(const struct random_uniform *uniform)
{
    struct random_uniform_narrow ignored;
    return dtype_size(uniform->type) == 2 && !has_narrow_form(uniform, &ignored);
}

void random_uniform_make_table(struct random_uniform *uniform)
{
    for (unsigned draw = 0; draw < 1U << narrow_bits(uniform); draw++)
        uniform->narrow[draw] = narrow_value(uniform, draw);
    uniform->tabled = true;
}

static size_t values_narrow(const struct random_uniform *uniform, const struct source *from,
                            uint16_t *restrict data)
{
    const uint32_t *const word = from->word;
    const size_t count = from->count;
    const unsigned bits = narrow_bits(uniform), mask = (1U << bits) - 1;
    const unsigned shift = uniform->option[RANDOM_UNIFORM_MANTISSA] ? 32 - bits : 0;
    const uint16_t *const restrict table = uniform->narrow;
    struct random_uniform_narrow narrow;
    if (has_narrow_form(uniform, &narrow)) {
        if (from->drawn)
            return form_chosen()->narrow_drawn(&narrow, from->drawn, data);
        form_chosen()->narrow(&narrow, word, count, data);
        return count;
    }
    for (size_t i = 0; i < count && uniform->tabled; i++)
        data[i] = table[word[i] >> shift & mask];
    for (size_t i = 0; i < count && !uniform->tabled; i++)
        data[i] = narrow_value(uniform, word[i] >> shift & mask);
    return count;
}

static size_t values(const struct random_uniform *uniform, const struct source *from, void *data)
{
    switch (uniform->type) {
    case DTYPE_I32:
        return values_i32(uniform, from, data);
    case DTYPE_I64:
        return values_i64(uniform, from, data);
    case DTYPE_F32:
        return values_f32(uniform, from, data);
    case DTYPE_F64:
        return values_f64(uniform, from, data);
    default:
        return values_narrow(uniform, from, data);
    }
}

void random_uniform_values(const struct random_uniform *uniform, const uint32_t *word, size_t count,
                           void *data)
{
    values(uniform, &(struct source){.word = word, .count = count}, data);
}

size_t random_uniform_values_drawn(const struct random_uniform *uniform,
                                   const struct random_uniform_drawn *drawn, void *data)
{
    return values(uniform, &(struct source){.drawn = drawn}, data);
}
