// SPDX-License-Identifier: Apache-2.0
// Integers of openvino.random_uniform from small spans, sixteen words at a time, by the products of
// AVX-512 VNNI and IFMA. The fraction of x / span in so many bits, times the span, has the
// remainder above them, as long as what the fraction has too much is less than 1 / span.

#include "ref/rng/philox_wide_avx512.h"

#define BYTES 64
#define store_past_caches(at, value) _mm512_stream_si512((__m512i *)(void *)(at), (__m512i)(value))

#include "ref/op/openvino/random_uniform_lanes.h"

// A sum y of a word's bytes, each times the remainder of 256^k that is nearest to 0, is congruent
// to the word; with a multiple of the span from 2^18 on, it is between 2^17 and 2^19. Its product
// with `inverse`, which is above 2^32 / span by 1 to 2, is the fraction of 32 bits, too much by y
// to 2 y: the upper 16 bits alone are not too little, and less than 2^32 / 255 too much.
struct bytes {
    word_lanes remainders, multiple, inverse, span, minimum;
};

static struct bytes bytes_of(const struct random_uniform_integer *integer)
{
    const uint32_t span = (uint32_t)integer->span;
    uint32_t remainders = 0, power = 1 % span;
    for (unsigned k = 0; k < 4; k++) {
        remainders |= (power > span / 2 ? power - span : power) % 256 << 8 * k;
        power = power * 256 % span;
    }
    const word_lanes zero = {0};
    return (struct bytes){.remainders = zero + remainders,
                          .multiple = zero + ((1 << 18) / span + 1) * span,
                          .inverse = zero + (uint32_t)((UINT64_C(1) << 32) / span + 2),
                          .span = zero + (span << 16),
                          .minimum = zero + (uint32_t)integer->minimum};
}

static inline __m512i i32_of(word_lanes x, const struct bytes *by)
{
    const __m512i sum =
        _mm512_dpbusd_epi32((__m512i)by->multiple, (__m512i)x, (__m512i)by->remainders);
    const __m512i fraction = _mm512_mullo_epi32(sum, (__m512i)by->inverse);
    const __m512i rest = _mm512_mulhi_epu16(fraction, (__m512i)by->span); // in the upper halves
    return _mm512_dpwssd_epi32((__m512i)by->minimum, rest, _mm512_set1_epi32(0x10000));
}

// Of low + 2^32 high. low * 2^52 / span and high * 2^52 (2^32 mod span) / span, with both factors
// rounded up, add up to the fraction of 52 bits, too much by less than low + high, which is below
// 2^52 / span. A product with the whole has high * 2^32 times the first factor as well: the second
// factor is as much less.
struct halves {
    pair_lanes whole, high, span, minimum;
};

static struct halves halves_of(const struct random_uniform_integer *integer)
{
    const uint64_t span = integer->span, rest = (UINT64_C(1) << 32) % span,
                   quotient = (UINT64_C(1) << 52) / span, left = (UINT64_C(1) << 52) % span,
                   whole = quotient + (left != 0),
                   high = quotient * rest + (left * rest + span - 1) / span;
    const pair_lanes zero = {0};
    return (struct halves){zero + whole, zero + (high - (whole << 32)), zero + span,
                           zero + integer->minimum};
}

static inline __m512i i64_of(word_lanes x, const struct halves *by)
{
    const pair_lanes high = (pair_lanes)x >> 32;
    const __m512i part =
        _mm512_madd52lo_epu64(_mm512_setzero_si512(), (__m512i)x, (__m512i)by->whole);
    const __m512i fraction = _mm512_madd52lo_epu64(part, (__m512i)high, (__m512i)by->high);
    return _mm512_madd52hi_epu64((__m512i)by->minimum, fraction, (__m512i)by->span);
}

static void values_i32(const struct random_uniform_integer *from, const uint32_t *word,
                       size_t count, uint32_t *data, bool streamed)
{
    const struct bytes by = bytes_of(from);
    FOR_ALL(1, i32_of(x, &by))
}

static void values_i64(const struct random_uniform_integer *from, const uint32_t *word,
                       size_t count, uint64_t *data, bool streamed)
{
    const struct halves by = halves_of(from);
    FOR_ALL(2, i64_of(x, &by))
}

WAY(i32, struct bytes, i32_of(x, &how))
WAY(i64, struct halves, i64_of(x, &how))

static size_t i32_drawn(const struct random_uniform_integer *from,
                        const struct random_uniform_drawn *drawn, uint32_t *data)
{
    const struct bytes by = bytes_of(from);
    return DRAWN(drawn, data, way_i32, &by);
}

static size_t i64_drawn(const struct random_uniform_integer *from,
                        const struct random_uniform_drawn *drawn, uint64_t *data)
{
    const struct halves by = halves_of(from);
    return DRAWN(drawn, data, way_i64, &by);
}

const struct random_uniform_form random_uniform_form_avx512i = {
    .i32 = values_i32, .i64 = values_i64, .i32_drawn = i32_drawn, .i64_drawn = i64_drawn};
