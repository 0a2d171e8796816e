// SPDX-License-Identifier: Apache-2.0
// philox4x32 in vectors of 256 bits.

#include <immintrin.h>

#include "ref/rng/philox_forms.h"

#define WIDE_BYTES 32
#define WIDE_SETS 3
#define WIDE_BLOCKS philox_blocks_avx2
typedef uint64_t wide __attribute__((vector_size(WIDE_BYTES)));

static inline wide wide_multiply(wide a, wide b)
{
    return (wide)_mm256_mul_epu32((__m256i)a, (__m256i)b);
}

static inline wide wide_xor3(wide a, wide b, wide c)
{
    return a ^ (b ^ c);
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
