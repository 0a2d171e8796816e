// SPDX-License-Identifier: Apache-2.0
// philox4x32 in vectors of 512 bits: what philox_wide.h asks for.

#ifndef ASSAY_REF_RNG_PHILOX_WIDE_AVX512_H
#define ASSAY_REF_RNG_PHILOX_WIDE_AVX512_H

#include <immintrin.h>
#include <stdint.h>

#define WIDE_BYTES 64
#define WIDE_SETS 4
typedef uint64_t wide __attribute__((vector_size(WIDE_BYTES)));

static inline wide wide_multiply(wide a, wide b)
{
    return (wide)_mm512_mul_epu32((__m512i)a, (__m512i)b);
}

static inline wide wide_xor3(wide a, wide b, wide c)
{
    return (wide)_mm512_ternarylogic_epi64((__m512i)a, (__m512i)b, (__m512i)c, 0x96);
}

static inline wide wide_last(wide a, wide b, wide c)
{
    const __m512i exchanged = (__m512i)(a << 32 | a >> 32);
    return (wide)_mm512_mask_ternarylogic_epi32(exchanged, 0x5555, (__m512i)b, (__m512i)c, 0x96);
}

static inline wide wide_first(wide a, wide b)
{
    return (wide)_mm512_unpacklo_epi64((__m512i)a, (__m512i)b);
}

static inline wide wide_second(wide a, wide b)
{
    return (wide)_mm512_unpackhi_epi64((__m512i)a, (__m512i)b);
}

static inline void wide_stream(uint32_t *out, wide value)
{
    _mm512_stream_si512((__m512i *)(void *)out, (__m512i)value);
}

#include "ref/rng/philox_wide.h"

#endif
