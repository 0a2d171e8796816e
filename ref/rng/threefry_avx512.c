// SPDX-License-Identifier: Apache-2.0
// threefry_fill in vectors of 512 bits.

#include <immintrin.h>

#include "ref/rng/threefry_forms.h"

#define WIDE_BYTES 64
#define WIDE_SETS 4
#define WIDE_ELEMENTS threefry_elements_avx512
typedef uint32_t wide __attribute__((vector_size(WIDE_BYTES)));

static inline wide wide_rotate(wide value, unsigned by)
{
    return value << by | value >> (32 - by);
}

static inline wide wide_first(wide a, wide b)
{
    return (wide)_mm512_unpacklo_epi32((__m512i)a, (__m512i)b);
}

static inline wide wide_second(wide a, wide b)
{
    return (wide)_mm512_unpackhi_epi32((__m512i)a, (__m512i)b);
}

static inline void wide_stream(unsigned char *out, wide value)
{
    _mm512_stream_si512((__m512i *)(void *)out, (__m512i)value);
}

#include "ref/rng/threefry_wide.h"
