// SPDX-License-Identifier: Apache-2.0
// threefry_fill in vectors of 256 bits.

#include <immintrin.h>

#include "ref/rng/threefry_forms.h"

#define WIDE_BYTES 32
#define WIDE_SETS 6
#define WIDE_ELEMENTS threefry_elements_avx2
typedef uint32_t wide __attribute__((vector_size(WIDE_BYTES)));

// A rotation by 16 or 24 bits moves bytes, which takes one instruction instead of three.
static inline wide wide_rotate(wide value, unsigned by)
{
    const __m256i by_16 = _mm256_set1_epi64x(0x0504070601000302),
                  by_24 = _mm256_set1_epi64x(0x0407060500030201);
    const __m256i next = _mm256_set_epi64x(0x0808080808080808, 0, 0x0808080808080808, 0);
    if (by == 16)
        return (wide)_mm256_shuffle_epi8((__m256i)value, _mm256_add_epi8(by_16, next));
    if (by == 24)
        return (wide)_mm256_shuffle_epi8((__m256i)value, _mm256_add_epi8(by_24, next));
    return value << by | value >> (32 - by);
}

static inline wide wide_first(wide a, wide b)
{
    return (wide)_mm256_unpacklo_epi32((__m256i)a, (__m256i)b);
}

static inline wide wide_second(wide a, wide b)
{
    return (wide)_mm256_unpackhi_epi32((__m256i)a, (__m256i)b);
}

static inline void wide_stream(unsigned char *out, wide value)
{
    _mm256_stream_si256((__m256i *)(void *)out, (__m256i)value);
}

#include "ref/rng/threefry_wide.h"
