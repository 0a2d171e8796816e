// SPDX-License-Identifier: Apache-2.0
// f32 to and from f16 and bf16, and to 8-bit floats, eight at a time. The processor's f16
// conversions round as they should; NaN payloads, which it would keep, are replaced.

#include "ref/num/convert.h"

#include <immintrin.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

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

// As convert_f8 says; the caller rounds toward zero.
enum { VECTORS_F8 = 4, GROUP_F8 = 8 * VECTORS_F8, STEP_F8 = 2 * GROUP_F8 };

struct f8 { // as in convert_f8
    __m256 scale;
    __m256i unit, field, tie, cut, most, infinity, nan, last;
    __m256i bytes, order; // four bytes of each vector in a half; four bytes each
};

static struct f8 f8_of(enum dtype to)
{
    const struct convert_f8 f = convert_f8_of(to);
    return (struct f8){
        .scale = _mm256_set1_ps(f.scale),
        .unit = _mm256_set1_epi16(f.unit),
        .field = _mm256_set1_epi32(f.field),
        .tie = _mm256_set1_epi32(f.tie),
        .cut = _mm256_set1_epi32(f.cut),
        .most = _mm256_set1_epi8(f.most),
        .infinity = _mm256_set1_epi8(f.infinity),
        .nan = _mm256_set1_epi8(f.nan),
        .last = _mm256_set1_epi32(f.last),
        .bytes = _mm256_broadcastsi128_si256(
            _mm_setr_epi8(0, 2, 4, 6, 1, 3, 5, 7, 8, 10, 12, 14, 9, 11, 13, 15)),
        .order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7),
    };
}

static inline void f8_scale(const struct f8 *f, const float *in, __m256i x[VECTORS_F8])
{
    for (unsigned j = 0; j < VECTORS_F8; j++)
        x[j] = _mm256_castps_si256(
            _mm256_fmadd_ps(_mm256_loadu_ps(in + 8 * j), f->scale, _mm256_set1_ps(-0.0F)));
}

// The codes of scaled numbers, as long as none is above `most`; and in `rounded` without signs, in
// another order.
static inline __m256i f8_codes(const struct f8 *f, const __m256i x[VECTORS_F8], __m256i *rounded)
{
    const __m256i magnitude = _mm256_set1_epi16(INT16_MAX), sign = _mm256_set1_epi8(INT8_MIN),
                  first = _mm256_blend_epi16(_mm256_srli_epi32(x[0], 16), x[1], 0xaa),
                  second = _mm256_blend_epi16(_mm256_srli_epi32(x[2], 16), x[3], 0xaa);
    *rounded =
        _mm256_packs_epi16(_mm256_mulhrs_epi16(_mm256_and_si256(first, magnitude), f->unit),
                           _mm256_mulhrs_epi16(_mm256_and_si256(second, magnitude), f->unit));
    const __m256i with_signs =
        _mm256_or_si256(_mm256_and_si256(_mm256_packs_epi16(first, second), sign), *rounded);
    return _mm256_permutevar8x32_epi32(_mm256_shuffle_epi8(with_signs, f->bytes), f->order);
}

// A tie at an odd code goes up. A product of half a code or more lacks at most p bits of the number
// `in`, its last ones: without any there it is the tie and not below.
static inline void f8_to_even(const struct f8 *f, const float *in, __m256i x[VECTORS_F8])
{
    for (unsigned j = 0; j < VECTORS_F8; j++) {
        const __m256i cut = _mm256_and_si256(_mm256_castps_si256(_mm256_loadu_ps(in + 8 * j)),
                                             f->cut),
                      whole = _mm256_cmpeq_epi32(cut, _mm256_setzero_si256()),
                      odd = _mm256_cmpeq_epi32(_mm256_and_si256(x[j], f->field), f->tie);
        x[j] = _mm256_sub_epi32(x[j], _mm256_and_si256(whole, odd));
    }
}

// Infinities, and what has the code of NaN.
static __m256i f8_beyond(const struct f8 *f, __m256i code, const float *in)
{
    const __m256i sign = _mm256_and_si256(code, _mm256_set1_epi8(INT8_MIN)),
                  magnitude = _mm256_min_epu8(_mm256_xor_si256(code, sign), f->infinity);
    __m256i none[VECTORS_F8];
    for (unsigned j = 0; j < VECTORS_F8; j++)
        none[j] =
            _mm256_cmpgt_epi32(_mm256_and_si256(_mm256_castps_si256(_mm256_loadu_ps(in + 8 * j)),
                                                _mm256_set1_epi32(INT32_MAX)),
                               f->last);
    const __m256i nan = _mm256_packs_epi16(_mm256_packs_epi32(none[0], none[1]),
                                           _mm256_packs_epi32(none[2], none[3]));
    return _mm256_blendv_epi8(_mm256_or_si256(magnitude, sign), f->nan,
                              _mm256_permutevar8x32_epi32(nan, f->order));
}

static void f8_rare(const struct f8 *f, uint8_t *out, const float *in)
{
    __m256i x[VECTORS_F8], rounded;
    f8_scale(f, in, x);
    f8_to_even(f, in, x);
    const __m256i code = f8_codes(f, x, &rounded);
    _mm256_storeu_si256((__m256i *)(void *)out, f8_beyond(f, code, in));
}

// Of GROUP_F8 numbers, the highest halves of the products; codes and `rounded` as f8_codes has
// them.
static inline __m256i f8_group(const struct f8 *f, uint8_t *out, const float *in, __m256i *rounded)
{
    __m256i x[VECTORS_F8];
    f8_scale(f, in, x);
    _mm256_storeu_si256((__m256i *)(void *)out, f8_codes(f, x, rounded));
    return _mm256_max_epu16(_mm256_max_epu16(x[0], x[1]), _mm256_max_epu16(x[2], x[3]));
}

// `count` is a multiple of STEP_F8. The caller sets the rounding mode, out of which the compiler
// must not move a product: this function is not inlined.
static __attribute__((noinline)) void f8_blocks(const struct f8 *format, uint8_t *out,
                                                const float *in, size_t count)
{
    const struct f8 f = *format;
    for (size_t i = 0; i < count; i += STEP_F8) {
        __m256i first, second;
        const __m256i highest =
            _mm256_max_epu16(f8_group(&f, out + i, in + i, &first),
                             f8_group(&f, out + i + GROUP_F8, in + i + GROUP_F8, &second));
        const __m256i rare =
            _mm256_or_si256(_mm256_cmpeq_epi16(highest, _mm256_set1_epi16(-1)),
                            _mm256_cmpgt_epi8(_mm256_max_epu8(first, second), f.most));
        if (__builtin_expect(_mm256_movemask_epi8(rare) != 0, 0))
            for (unsigned k = 0; k < STEP_F8; k += GROUP_F8)
                f8_rare(format, out + i + k, in + i + k);
    }
}

static size_t narrow_to_f8(enum dtype to, uint8_t *out, const float *in, size_t count)
{
    const struct f8 f = f8_of(to);
    const size_t whole = count - count % STEP_F8, rest = count - whole;
    const unsigned before = _mm_getcsr();
    _mm_setcsr(_MM_MASK_MASK | _MM_ROUND_TOWARD_ZERO);
    f8_blocks(&f, out, in, whole);
    if (rest > 0) {
        float last[STEP_F8] = {0};
        uint8_t code[STEP_F8];
        memcpy(last, in + whole, rest * sizeof *last);
        f8_blocks(&f, code, last, STEP_F8);
        memcpy(out + whole, code, rest);
    }
    _mm_setcsr(before);
    return count;
}

size_t convert_array_avx2(enum dtype to, void *out, enum dtype from, const void *in, size_t count)
{
    if (from == DTYPE_F32 && to == DTYPE_F16)
        return narrow_all(f16_of, 0x7e00, out, in, count);
    if (from == DTYPE_F32 && to == DTYPE_BF16)
        return narrow_all(bf16_of, 0x7fc0, out, in, count);
    if (from == DTYPE_F32 && (to == DTYPE_F8E4M3 || to == DTYPE_F8E5M2))
        return narrow_to_f8(to, out, in, count);
    if (from == DTYPE_F16 && to == DTYPE_F32)
        return widen_all(f32_of_f16, out, in, count);
    if (from == DTYPE_BF16 && to == DTYPE_F32)
        return widen_all(f32_of_bf16, out, in, count);
    return 0;
}
