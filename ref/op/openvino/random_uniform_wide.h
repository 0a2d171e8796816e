// SPDX-License-Identifier: Apache-2.0
// Values of openvino.random_uniform, a vector at a time. An including file says how many BYTES a
// vector has, names its FORM, and defines MULTIPLY, the products of the lower halves of 64-bit
// lanes, F16_OF and F32_OF_F16, and store_past_caches, for an aligned place.

#include <immintrin.h>
#include <string.h>

#include "ref/op/openvino/random_uniform_forms.h"

enum { LANES = BYTES / 4, PAIRS = BYTES / 8 };

__extension__ typedef uint32_t word_lanes __attribute__((vector_size(BYTES)));
__extension__ typedef int32_t int_lanes __attribute__((vector_size(BYTES)));
__extension__ typedef float float_lanes __attribute__((vector_size(BYTES)));
__extension__ typedef uint64_t pair_lanes __attribute__((vector_size(BYTES)));
__extension__ typedef double double_lanes __attribute__((vector_size(BYTES)));

static inline word_lanes load(const uint32_t *from)
{
    word_lanes x;
    memcpy(&x, from, sizeof x);
    return x;
}

// Writes VALUE, made of the vector of words `x`, for all of them: `count` elements of `each` words.
// The last ones are made of a vector that is filled up with zeros.
#define FOR_ALL(each, VALUE)                                                                       \
    const bool past = streamed && (uintptr_t)data % BYTES == 0;                                    \
    const size_t words = (each)*count;                                                             \
    size_t i = 0;                                                                                  \
    for (; i + LANES <= words; i += LANES) {                                                       \
        const word_lanes x = load(word + i), value = (word_lanes)(VALUE);                          \
        if (past)                                                                                  \
            store_past_caches((uint32_t *)(void *)data + i, value);                                \
        else                                                                                       \
            memcpy((uint32_t *)(void *)data + i, &value, sizeof value);                            \
    }                                                                                              \
    if (i < words) {                                                                               \
        word_lanes x = {0};                                                                        \
        memcpy(&x, word + i, (words - i) * sizeof *word);                                          \
        const word_lanes value = (word_lanes)(VALUE);                                              \
        memcpy((uint32_t *)(void *)data + i, &value, (words - i) * sizeof *word);                  \
    }

static void values_f32(const struct random_uniform_real *real, const uint32_t *word, size_t count,
                       float *data, bool streamed)
{
    const float span = (float)real->span, minimum = (float)real->minimum;
    const unsigned shift = real->shift;
    if (real->pytorch) {
        FOR_ALL(1, __builtin_convertvector((int_lanes)(x >> shift & 0xffffff), float_lanes) *
                           0x1p-24f * span +
                       minimum)
    } else {
        FOR_ALL(1, ((float_lanes)((x >> shift & 0x7fffff) | 0x3f800000) - 1.0f) * span + minimum)
    }
}

static void values_f64(const struct random_uniform_real *real, const uint32_t *word, size_t count,
                       double *data, bool streamed)
{
    const double span = real->span, minimum = real->minimum;
    const unsigned shift = real->shift;
    FOR_ALL(2, ((double_lanes)((((pair_lanes)x << 32 | (pair_lanes)x >> 32) >> shift &
                                UINT64_C(0xfffffffffffff)) |
                               UINT64_C(0x3ff) << 52) -
                1.0) * span +
                   minimum)
}

// x modulo the span, plus the minimum.
static inline word_lanes into_range(word_lanes x, word_lanes span, pair_lanes multiplier,
                                    unsigned first, unsigned second, uint32_t minimum)
{
    const pair_lanes even = (pair_lanes)MULTIPLY(x, multiplier),
                     odd = (pair_lanes)MULTIPLY((pair_lanes)x >> 32, multiplier);
    const word_lanes high = (word_lanes)(even >> 32 | (odd & UINT64_C(0xffffffff00000000)));
    const word_lanes quotient = (high + ((x - high) >> first)) >> second;
    return x - quotient * span + minimum;
}

static void values_i32(const struct random_uniform_integer *integer, const uint32_t *word,
                       size_t count, uint32_t *data, bool streamed)
{
    const word_lanes span = (uint32_t)integer->span - (word_lanes){0};
    const pair_lanes multiplier = integer->multiplier - (pair_lanes){0};
    const uint32_t minimum = (uint32_t)integer->minimum;
    const unsigned first = integer->first, second = integer->second;
    FOR_ALL(1, into_range(x, span, multiplier, first, second, minimum))
}

// ---- 16 bits ----------------------------------------------------------------

typedef uint16_t short_lanes __attribute__((vector_size(BYTES / 2)));

static inline short_lanes bf16_of(float_lanes x)
{
    const word_lanes bits = (word_lanes)x;
    return __builtin_convertvector((bits + 0x7fff + (bits >> 16 & 1)) >> 16, short_lanes);
}

static inline float_lanes f32_of_bf16(short_lanes x)
{
    return (float_lanes)(__builtin_convertvector(x, word_lanes) << 16);
}

static inline short_lanes narrowed(const struct random_uniform_narrow *to, word_lanes x)
{
    const int_lanes drawn = (int_lanes)(x >> to->shift & to->mask);
    const float_lanes product = __builtin_convertvector(drawn, float_lanes) * to->scale;
    return to->bf16 ? bf16_of(f32_of_bf16(bf16_of(product)) + to->minimum)
                    : (short_lanes)F16_OF((float_lanes)F32_OF_F16(F16_OF(product)) + to->minimum);
}

static void values_narrow(const struct random_uniform_narrow *narrow, const uint32_t *word,
                          size_t count, uint16_t *data)
{
    const struct random_uniform_narrow to = *narrow;
    size_t i = 0;
    for (; i + LANES <= count; i += LANES) {
        const short_lanes value = narrowed(&to, load(word + i));
        memcpy(data + i, &value, sizeof value);
    }
    if (i < count) {
        word_lanes x = {0};
        memcpy(&x, word + i, (count - i) * sizeof *word);
        const short_lanes value = narrowed(&to, x);
        memcpy(data + i, &value, (count - i) * sizeof *data);
    }
}

// ---- integers ---------------------------------------------------------------

// The upper halves of the products of 64-bit lanes, from those of their halves.
static inline pair_lanes multiply_high(pair_lanes x, pair_lanes y)
{
    const pair_lanes low = (pair_lanes)MULTIPLY(x, y), right = (pair_lanes)MULTIPLY(x, y >> 32),
                     left = (pair_lanes)MULTIPLY(x >> 32, y),
                     high = (pair_lanes)MULTIPLY(x >> 32, y >> 32);
    const pair_lanes middle = left + (low >> 32);
    return high + (middle >> 32) + ((right + (middle & UINT32_MAX)) >> 32);
}

static inline pair_lanes into_long_range(pair_lanes x, pair_lanes multiplier,
                                         const struct random_uniform_integer *integer)
{
    const pair_lanes high = multiply_high(x, multiplier);
    const pair_lanes quotient = (high + ((x - high) >> integer->first)) >> integer->second;
    return x - quotient * integer->span + integer->minimum;
}

static void values_i64(const struct random_uniform_integer *integer, const uint32_t *word,
                       size_t count, uint64_t *data, bool streamed)
{
    const pair_lanes multiplier = integer->multiplier - (pair_lanes){0};
    const struct random_uniform_integer in = *integer;
    FOR_ALL(2, into_long_range((pair_lanes)x, multiplier, &in))
}

const struct random_uniform_form FORM = {.narrow = values_narrow,
                                         .f32 = values_f32,
                                         .f64 = values_f64,
                                         .i32 = values_i32,
                                         .i64 = values_i64};
