// SPDX-License-Identifier: Apache-2.0
// f32 to and from f16 and bf16, eight at a time. The processor's f16 conversions round as they
// should; NaN payloads, which it would keep, are replaced.

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
    return _mm256_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}

// Half an ulp less one, plus one when the kept part is odd, carries exactly where nearest even
// rounds up.
static __m128i bf16_of(__m256 x)
{
    const __m256i bits = _mm256_castps_si256(x);
    const __m256i odd = _mm256_and_si256(_mm256_srli_epi32(bits, 16), _mm256_set1_epi32(1));
    const __m256i up = _mm256_add_epi32(bits, _mm256_add_epi32(_mm256_set1_epi32(0x7fff), odd));
    return narrow(_mm256_srli_epi32(up, 16));
}

static __m256 f32_of_bf16(__m128i x)
{
    return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(x), 16));
}

static __m256 f32_of_f16(__m128i x)
{
    return _mm256_cvtph_ps(x);
}

// Whether any of 32 numbers is NaN: a comparison looks at two vectors.
static int any_nan(const __m256 x[4])
{
    return _mm256_movemask_ps(_mm256_or_ps(_mm256_cmp_ps(x[0], x[1], _CMP_UNORD_Q),
                                           _mm256_cmp_ps(x[2], x[3], _CMP_UNORD_Q)));
}

static __m128i canonical(__m128i narrowed, __m256 x, uint16_t quiet_nan)
{
    const __m128i nan =
        _mm_packs_epi32(_mm256_castsi256_si128(is_nan(x)), _mm256_extracti128_si256(is_nan(x), 1));
    return _mm_blendv_epi8(narrowed, _mm_set1_epi16((short)quiet_nan), nan);
}

static __m256 without_payload(__m256 x)
{
    return _mm256_blendv_ps(x, _mm256_castsi256_ps(_mm256_set1_epi32(0x7fc00000)),
                            _mm256_castsi256_ps(is_nan(x)));
}

// 32 at a time, so that looking for a NaN costs little.
static inline __attribute__((always_inline)) size_t narrow_all(__m128i (*one)(__m256),
                                                               uint16_t quiet_nan, uint16_t *out,
                                                               const float *in, size_t count)
{
    size_t i = 0;
    for (; i + 32 <= count; i += 32) {
        __m256 x[4];
        for (size_t j = 0; j < 4; j++)
            x[j] = _mm256_loadu_ps(in + i + 8 * j);
        const int odd = any_nan(x);
        for (size_t j = 0; j < 4; j++)
            _mm_storeu_si128((__m128i *)(void *)(out + i + 8 * j),
                             odd ? canonical(one(x[j]), x[j], quiet_nan) : one(x[j]));
    }
    for (; i + 8 <= count; i += 8) {
        const __m256 x = _mm256_loadu_ps(in + i);
        _mm_storeu_si128((__m128i *)(void *)(out + i), canonical(one(x), x, quiet_nan));
    }
    return i;
}

static inline __attribute__((always_inline)) size_t widen_all(__m256 (*one)(__m128i), float *out,
                                                              const uint16_t *in, size_t count)
{
    size_t i = 0;
    for (; i + 32 <= count; i += 32) {
        __m256 x[4];
        for (size_t j = 0; j < 4; j++)
            x[j] = one(_mm_loadu_si128((const __m128i *)(const void *)(in + i + 8 * j)));
        const int odd = any_nan(x);
        for (size_t j = 0; j < 4; j++)
            _mm256_storeu_ps(out + i + 8 * j, odd ? without_payload(x[j]) : x[j]);
    }
    for (; i + 8 <= count; i += 8)
        _mm256_storeu_ps(out + i, without_payload(one(
                                      _mm_loadu_si128((const __m128i *)(const void *)(in + i)))));
    return i;
}

size_t convert_array_avx2(enum dtype to, void *out, enum dtype from, const void *in, size_t count)
{
    if (from == DTYPE_F32 && to == DTYPE_F16)
        return narrow_all(f16_of, 0x7e00, out, in, count);
    if (from == DTYPE_F32 && to == DTYPE_BF16)
        return narrow_all(bf16_of, 0x7fc0, out, in, count);
    if (from == DTYPE_F16 && to == DTYPE_F32)
        return widen_all(f32_of_f16, out, in, count);
    if (from == DTYPE_BF16 && to == DTYPE_F32)
        return widen_all(f32_of_bf16, out, in, count);
    return 0;
}
