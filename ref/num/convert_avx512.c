// SPDX-License-Identifier: Apache-2.0
// f32 to bf16, 32 at a time. The processor's own conversion flushes subnormal numbers; integers do
// not.

#include "ref/num/convert.h"

#include <immintrin.h>
#include <stdint.h>

// Half an ulp less one, plus one when the kept part is odd, carries exactly where nearest even
// rounds up.
static __m512i round_up(__m512i bits)
{
    const __m512i up = _mm512_add_epi32(bits, _mm512_set1_epi32(0x7fff));
    return _mm512_mask_add_epi32(up, _mm512_test_epi32_mask(bits, _mm512_set1_epi32(0x10000)), up,
                                 _mm512_set1_epi32(1));
}

static __mmask16 is_nan(__m512i bits)
{
    const __m512 x = _mm512_castsi512_ps(bits);
    return _mm512_cmp_ps_mask(x, x, _CMP_UNORD_Q);
}

// The upper halves of 32 lanes.
static __m512i narrow(__m512i low, __m512i high, __m512i places)
{
    const __m512 x = _mm512_castsi512_ps(low), y = _mm512_castsi512_ps(high);
    const __m512i rounded = _mm512_permutex2var_epi16(round_up(low), places, round_up(high));
    if (!_mm512_cmp_ps_mask(x, y, _CMP_UNORD_Q))
        return rounded;
    const __mmask32 nan = is_nan(low) | (__mmask32)is_nan(high) << 16;
    return _mm512_mask_blend_epi16(nan, rounded, _mm512_set1_epi16(0x7fc0));
}

size_t convert_bf16_avx512(uint16_t *out, const float *in, size_t count)
{
    enum { STEP = 32 };
    uint16_t place[STEP];
    for (unsigned i = 0; i < STEP; i++)
        place[i] = (uint16_t)(2 * i + 1);
    const __m512i places = _mm512_loadu_si512(place);
    size_t i = 0;
    for (; i + STEP <= count; i += STEP)
        _mm512_storeu_si512(out + i, narrow(_mm512_loadu_si512(in + i),
                                            _mm512_loadu_si512(in + i + STEP / 2), places));
    return i;
}
