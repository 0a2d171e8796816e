// SPDX-License-Identifier: Apache-2.0
// Values of openvino.random_uniform, a vector at a time. An including file says how many BYTES a
// vector has, names its FORM, and defines MULTIPLY, the products of the lower halves of 64-bit
// lanes, and store_past_caches, for an aligned place.

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

const struct random_uniform_form FORM = {.f32 = values_f32, .f64 = values_f64, .i32 = values_i32};
