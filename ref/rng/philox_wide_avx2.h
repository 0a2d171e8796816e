// SPDX-License-Identifier: Apache-2.0
// philox4x32 in vectors of 256 bits: what philox_wide.h asks for.

#ifndef ASSAY_REF_RNG_PHILOX_WIDE_AVX2_H
#define ASSAY_REF_RNG_PHILOX_WIDE_AVX2_H

#include <immintrin.h>
#include <stdint.h>

#define WIDE_BYTES 32
#define WIDE_SETS 4
typedef uint64_t wide __attribute__((vector_size(WIDE_BYTES)));

static inline wide wide_multiply(wide a, wide b)
{
    return (wide)_mm256_mul_epu32((__m256i)a, (__m256i)b);
}

static inline wide wide_xor3(wide a, wide b, wide c)
{
    return a ^ (b ^ c);
}

static inline wide wide_last(wide a, wide b, wide c)
{
    const __m256i exchanged = _mm256_shuffle_epi32((__m256i)a, 0xb1);
    return (wide)_mm256_blend_epi32(exchanged, exchanged ^ (__m256i)(b ^ c), 0x55);
}

static inline wide wide_first(wide a, wide b)
{
    return (wide)_mm256_unpacklo_epi64((__m256i)a, (__m256i)b);
}

static inline wide wide_second(wide a, wide b)
{
    return (wide)_mm256_unpackhi_epi64((__m256i)a, (__m256i)b);
}

static inline void wide_stream(uint32_t *out, wide value)
{
    _mm256_stream_si256((__m256i *)(void *)out, (__m256i)value);
}

#include "ref/rng/philox_wide.h"

#endif
