// SPDX-License-Identifier: Apache-2.0
// f32 to and from f16 and bf16, and to 8-bit floats, eight at a time. The processor's f16
// conversions round as they should; NaN payloads, which it would keep, are replaced.

#include "ref/num/convert.h"

#include <immintrin.h>
#include <stdint.h>

#include "ref/num/exact.h"

static __m256i is_nan(__m256 x)
{
    return _mm256_castps_si256(_mm256_cmp_ps(x, x, _CMP_UNORD_Q));
}

// Eight 16-bit lanes of each half of `low` and `high` in their order, for 32-bit lanes below 2^16.
static __m256i pack_words(__m256i low, __m256i high)
{
    return _mm256_permute4x64_epi64(_mm256_packus_epi32(low, high), 0xd8);
}

static __m256i f16_of(__m256 low, __m256 high)
{
    enum { NEAREST = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC };
    return _mm256_set_m128i(_mm256_cvtps_ph(high, NEAREST), _mm256_cvtps_ph(low, NEAREST));
}

// Adding half an ulp rounds away from a kept part that is even at a tie; less one, it does not.
static __m256i bf16_word(__m256 x)
{
    const __m256i bits = _mm256_castps_si256(x);
    const __m256i even_tie = _mm256_cmpeq_epi32(_mm256_and_si256(bits, _mm256_set1_epi32(0x1ffff)),
                                                _mm256_set1_epi32(0x8000));
    const __m256i up =
        _mm256_add_epi32(_mm256_add_epi32(bits, _mm256_set1_epi32(0x8000)), even_tie);
    return _mm256_srli_epi32(up, 16);
}

static __m256i bf16_of(__m256 low, __m256 high)
{
    return pack_words(bf16_word(low), bf16_word(high));
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

static __m256i canonical(__m256i narrowed, __m256 low, __m256 high, uint16_t quiet_nan)
{
    const __m256i nan =
        _mm256_permute4x64_epi64(_mm256_packs_epi32(is_nan(low), is_nan(high)), 0xd8);
    return _mm256_blendv_epi8(narrowed, _mm256_set1_epi16((short)quiet_nan), nan);
}

static __m256 without_payload(__m256 x)
{
    return _mm256_blendv_ps(x, _mm256_castsi256_ps(_mm256_set1_epi32(0x7fc00000)),
                            _mm256_castsi256_ps(is_nan(x)));
}

// 32 at a time, so that looking for a NaN costs little.
static inline __attribute__((always_inline)) size_t narrow_all(__m256i (*two)(__m256, __m256),
                                                               uint16_t quiet_nan, uint16_t *out,
                                                               const float *in, size_t count)
{
    size_t i = 0;
    for (; i + 32 <= count; i += 32) {
        __m256 x[4];
        for (size_t j = 0; j < 4; j++)
            x[j] = _mm256_loadu_ps(in + i + 8 * j);
        __m256i low = two(x[0], x[1]), high = two(x[2], x[3]);
        if (any_nan(x)) {
            low = canonical(low, x[0], x[1], quiet_nan);
            high = canonical(high, x[2], x[3], quiet_nan);
        }
        _mm256_storeu_si256((__m256i *)(void *)(out + i), low);
        _mm256_storeu_si256((__m256i *)(void *)(out + i + 16), high);
    }
    for (; i + 8 <= count; i += 8) {
        const __m256 x = _mm256_loadu_ps(in + i);
        _mm_storeu_si128((__m128i *)(void *)(out + i),
                         _mm256_castsi256_si128(canonical(two(x, x), x, x, quiet_nan)));
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

// ---- 8-bit floats -----------------------------------------------------------

// What narrow_to_f8 of convert.c works with, in vectors; a code beyond `last` is NaN.
struct f8 {
    __m256i least_normal, spacing, half, rebias, infinity, last, nan;
    __m128i dropped;
};

static struct f8 f8_of(const struct num_format *f)
{
    const int dropped = 24 - f->precision;
    return (struct f8){
        .least_normal = _mm256_set1_epi32((127 + f->exponent_min) << 23),
        .spacing = _mm256_set1_epi32((127 + f->exponent_min - f->precision + 1 + 23) << 23),
        .half = _mm256_set1_epi32((1 << (dropped - 1)) - 1),
        .rebias = _mm256_set1_epi32((126 + f->exponent_min) << (f->precision - 1)),
        .infinity = _mm256_set1_epi32((int)f->infinity),
        .last = _mm256_set1_epi32(f->infinity == f->nan ? (int)f->largest : INT32_MAX),
        .nan = _mm256_set1_epi32((int)f->nan),
        .dropped = _mm_cvtsi32_si128(dropped)};
}

static __m256i f8_word(const struct f8 *f, __m256 x)
{
    const __m256i bits = _mm256_castps_si256(x);
    const __m256i magnitude = _mm256_and_si256(bits, _mm256_set1_epi32(0x7fffffff)),
                  sign = _mm256_and_si256(_mm256_srli_epi32(bits, 24), _mm256_set1_epi32(0x80));
    const __m256i odd =
        _mm256_and_si256(_mm256_srl_epi32(magnitude, f->dropped), _mm256_set1_epi32(1));
    const __m256i up = _mm256_add_epi32(_mm256_add_epi32(magnitude, f->half), odd);
    const __m256i normal = _mm256_sub_epi32(_mm256_srl_epi32(up, f->dropped), f->rebias);
    const __m256 shifted =
        _mm256_add_ps(_mm256_castsi256_ps(magnitude), _mm256_castsi256_ps(f->spacing));
    const __m256i below = _mm256_sub_epi32(_mm256_castps_si256(shifted), f->spacing);
    const __m256i code =
        _mm256_blendv_epi8(normal, below, _mm256_cmpgt_epi32(f->least_normal, magnitude));
    const __m256i no_number =
        _mm256_or_si256(_mm256_cmpgt_epi32(magnitude, _mm256_set1_epi32(0x7f800000)),
                        _mm256_cmpgt_epi32(code, f->last));
    return _mm256_blendv_epi8(_mm256_or_si256(_mm256_min_epu32(code, f->infinity), sign), f->nan,
                              no_number);
}

static size_t narrow_to_f8(const struct num_format *format, uint8_t *out, const float *in,
                           size_t count)
{
    const struct f8 f = f8_of(format);
    const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    size_t i = 0;
    for (; i + 32 <= count; i += 32) {
        __m256i x[4];
        for (size_t j = 0; j < 4; j++)
            x[j] = f8_word(&f, _mm256_loadu_ps(in + i + 8 * j));
        const __m256i bytes =
            _mm256_packus_epi16(_mm256_packus_epi32(x[0], x[1]), _mm256_packus_epi32(x[2], x[3]));
        _mm256_storeu_si256((__m256i *)(void *)(out + i),
                            _mm256_permutevar8x32_epi32(bytes, order));
    }
    return i;
}

size_t convert_array_avx2(enum dtype to, void *out, enum dtype from, const void *in, size_t count)
{
    if (from == DTYPE_F32 && to == DTYPE_F16)
        return narrow_all(f16_of, 0x7e00, out, in, count);
    if (from == DTYPE_F32 && to == DTYPE_BF16)
        return narrow_all(bf16_of, 0x7fc0, out, in, count);
    if (from == DTYPE_F32 && (to == DTYPE_F8E4M3 || to == DTYPE_F8E5M2))
        return narrow_to_f8(num_format_of(to), out, in, count);
    if (from == DTYPE_F16 && to == DTYPE_F32)
        return widen_all(f32_of_f16, out, in, count);
    if (from == DTYPE_BF16 && to == DTYPE_F32)
        return widen_all(f32_of_bf16, out, in, count);
    return 0;
}
