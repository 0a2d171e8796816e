// SPDX-License-Identifier: Apache-2.0
// f32 to and from f16 and bf16, eight at a time. The processor's f16 conversions round as they should; NaN payloads, which it
// would keep, are replaced.

#include "ref/num/convert.h"

#include <immintrin.h>
#include <stdint.h>

static __m256i is_nan(__m256 x)
{
    return _mm256_castps_si256(_mm256_cmp_ps(x, x, _CMP_UNORD_Q));
}

// Eight 32-bit lanes below 2^16 as eight 16-bit lanes.
static __m128i narrow(__m256i x)
{
    return _mm_packus_epi32(_mm256_castsi256_si128(x), _mm256_extracti128_si256(x, 1));
}

static __m128i f16_of(__m256 x)
{
    const __m128i rounded = _mm256_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
    const __m128i nan = _mm_packs_epi32(_mm256_castsi256_si128(is_nan(x)), _mm256_extracti128_si256(is_nan(x), 1));
    return _mm_blendv_epi8(rounded, _mm_set1_epi16(0x7e00), nan);
}

// Half an ulp less one, plus one when the kept part is odd, carries exactly where nearest even rounds up.
static __m128i bf16_of(__m256 x)
{
    const __m256i bits = _mm256_castps_si256(x);
    const __m256i odd = _mm256_and_si256(_mm256_srli_epi32(bits, 16), _mm256_set1_epi32(1));
    const __m256i up = _mm256_add_epi32(bits, _mm256_add_epi32(_mm256_set1_epi32(0x7fff), odd));
    return narrow(_mm256_blendv_epi8(_mm256_srli_epi32(up, 16), _mm256_set1_epi32(0x7fc0), is_nan(x)));
}

static __m256 without_payload(__m256 x)
{
    return _mm256_blendv_ps(x, _mm256_castsi256_ps(_mm256_set1_epi32(0x7fc00000)), _mm256_castsi256_ps(is_nan(x)));
}

static __m256 f32_of_f16(__m128i x)
{
    return without_payload(_mm256_cvtph_ps(x));
}

static __m256 f32_of_bf16(__m128i x)
{
    return without_payload(_mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(x), 16)));
}

static size_t narrow_all(__m128i (*one)(__m256), uint16_t *out, const float *in, size_t count)
{
    size_t i = 0;
    for (; i + 8 <= count; i += 8)
        _mm_storeu_si128((__m128i *)(void *)(out + i), one(_mm256_loadu_ps(in + i)));
    return i;
}

static size_t widen_all(__m256 (*one)(__m128i), float *out, const uint16_t *in, size_t count)
{
    size_t i = 0;
    for (; i + 8 <= count; i += 8)
        _mm256_storeu_ps(out + i, one(_mm_loadu_si128((const __m128i *)(const void *)(in + i))));
    return i;
}

size_t convert_array_avx2(enum dtype to, void *out, enum dtype from, const void *in, size_t count)
{
    if (from == DTYPE_F32 && to == DTYPE_F16)
        return narrow_all(f16_of, out, in, count);
    if (from == DTYPE_F32 && to == DTYPE_BF16)
        return narrow_all(bf16_of, out, in, count);
    if (from == DTYPE_F16 && to == DTYPE_F32)
        return widen_all(f32_of_f16, out, in, count);
    if (from == DTYPE_BF16 && to == DTYPE_F32)
        return widen_all(f32_of_bf16, out, in, count);
    return 0;
}
