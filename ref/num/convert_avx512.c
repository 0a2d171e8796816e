// SPDX-License-Identifier: Apache-2.0
// f32 to bf16, 32 at a time, and to 8-bit floats, 64 at a time. The processor's own conversion to
// bf16 flushes subnormal numbers; integers do not.

#include "ref/num/convert.h"

#include <immintrin.h>
#include <stdint.h>

static __mmask16 is_nan(__m512 x)
{
    return _mm512_cmp_ps_mask(x, x, _CMP_UNORD_Q);
}

static __m512i without_payloads(__m512i narrowed, __m512 low, __m512 high)
{
    const __mmask32 nan = is_nan(low) | (__mmask32)is_nan(high) << 16;
    return _mm512_mask_blend_epi16(nan, narrowed, _mm512_set1_epi16(0x7fc0));
}

// Of 32 numbers the upper halves and the lower ones. What is cut off rounds up where it is above
// half a unit, or half one below an odd place: with the last bit of the upper half set in it, that
// is above half a unit as well, and nothing below half one becomes so.
static inline __m512i bf16_of(__m512 low, __m512 high, __m512i upper, __m512i lower)
{
    const __m512i one = _mm512_set1_epi16(1), half = _mm512_set1_epi16(INT16_MIN),
                  x = _mm512_castps_si512(low), y = _mm512_castps_si512(high),
                  kept = _mm512_permutex2var_epi16(x, upper, y),
                  cut = _mm512_permutex2var_epi16(x, lower, y);
    const __mmask32 up =
        _mm512_cmpgt_epu16_mask(_mm512_ternarylogic_epi32(kept, one, cut, 0xea), half); // a & b | c
    return _mm512_mask_add_epi16(kept, up, kept, one);
}

size_t convert_bf16_avx512(uint16_t *out, const float *in, size_t count)
{
    enum { STEP = 32 };
    uint16_t place[STEP];
    for (unsigned i = 0; i < STEP; i++)
        place[i] = (uint16_t)(2 * i);
    const __m512i lower = _mm512_loadu_si512(place),
                  upper = _mm512_add_epi16(lower, _mm512_set1_epi16(1));
    size_t i = 0;
    for (; i + STEP <= count; i += STEP) {
        const __m512 low = _mm512_loadu_ps(in + i), high = _mm512_loadu_ps(in + i + STEP / 2);
        __m512i narrowed = bf16_of(low, high, upper, lower);
        if (__builtin_expect(_mm512_cmp_ps_mask(low, high, _CMP_UNORD_Q) != 0, 0))
            narrowed = without_payloads(narrowed, low, high);
        _mm512_storeu_si512(out + i, narrowed);
    }
    return i;
}

// ---- 8-bit floats -----------------------------------------------------------

// As convert_f8 says.
enum { STEP_F8 = 64, VECTORS_F8 = STEP_F8 / 16 };

struct f8 { // as in convert_f8
    __m512 scale;
    __m512i unit, field, tie, cut, most, infinity, nan, last;
    __m512i upper, order; // halves of 32-bit lanes; eight bytes each
};

static struct f8 f8_of(enum dtype to)
{
    const struct convert_f8 f = convert_f8_of(to);
    const __m512i counts = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0),
                  places = _mm512_mullo_epi32(counts, _mm512_set1_epi32(0x40004));
    return (struct f8){
        .scale = _mm512_set1_ps(f.scale),
        .unit = _mm512_set1_epi16(f.unit),
        .field = _mm512_set1_epi32(f.field),
        .tie = _mm512_set1_epi32(f.tie),
        .cut = _mm512_set1_epi32(f.cut),
        .most = _mm512_set1_epi8(f.most),
        .infinity = _mm512_set1_epi8(f.infinity),
        .nan = _mm512_set1_epi8(f.nan),
        .last = _mm512_set1_epi32(f.last),
        .upper = _mm512_add_epi32(places, _mm512_set1_epi32(0x30001)),
        .order = _mm512_set_epi64(7, 5, 3, 1, 6, 4, 2, 0),
    };
}

// The codes of scaled numbers, as long as none is above `most`; and in `rounded` without signs, in
// the places of `order`.
static inline __m512i f8_codes(const struct f8 *f, const __m512i x[VECTORS_F8], __m512i *rounded)
{
    const __m512i magnitude = _mm512_set1_epi16(INT16_MAX),
                  first = _mm512_permutex2var_epi16(x[0], f->upper, x[1]),
                  second = _mm512_permutex2var_epi16(x[2], f->upper, x[3]);
    *rounded =
        _mm512_packs_epi16(_mm512_mulhrs_epi16(_mm512_and_si512(first, magnitude), f->unit),
                           _mm512_mulhrs_epi16(_mm512_and_si512(second, magnitude), f->unit));
    const __m512i with_signs = _mm512_ternarylogic_epi32(
        _mm512_packs_epi16(first, second), _mm512_set1_epi8(INT8_MIN), *rounded, 0xea); // a & b | c
    return _mm512_permutexvar_epi64(f->order, with_signs);
}

// A tie at an odd code goes up. A product of half a code or more lacks at most p bits of the number
// `in`, its last ones: without any there it is the tie and not below.
static inline void f8_to_even(const struct f8 *f, const float *in, __m512i x[VECTORS_F8])
{
    for (unsigned j = 0; j < VECTORS_F8; j++) {
        const __m512i cut = _mm512_and_si512(_mm512_loadu_si512(in + 16 * j), f->cut);
        const __mmask16 whole = _mm512_cmpeq_epi32_mask(cut, _mm512_setzero_si512());
        const __mmask16 odd =
            _mm512_mask_cmpeq_epi32_mask(whole, _mm512_and_si512(x[j], f->field), f->tie);
        x[j] = _mm512_mask_add_epi32(x[j], odd, x[j], _mm512_set1_epi32(1));
    }
}

// Infinities, and what has the code of NaN.
static __m512i f8_beyond(const struct f8 *f, __m512i code, const float *in)
{
    const __m512i sign = _mm512_set1_epi8(INT8_MIN);
    const __m512i magnitude = _mm512_min_epu8(_mm512_andnot_si512(sign, code), f->infinity);
    uint64_t none = 0;
    for (unsigned j = 0; j < VECTORS_F8; j++) {
        const __m512i x =
            _mm512_and_si512(_mm512_loadu_si512(in + 16 * j), _mm512_set1_epi32(INT32_MAX));
        none |= (uint64_t)_mm512_cmpgt_epi32_mask(x, f->last) << 16 * j;
    }
    return _mm512_mask_blend_epi8(none, _mm512_ternarylogic_epi32(code, sign, magnitude, 0xea),
                                  f->nan);
}

size_t convert_f8_avx512(enum dtype to, uint8_t *out, const float *in, size_t count)
{
    const struct f8 f = f8_of(to);
    size_t i = 0;
    for (; i + STEP_F8 <= count; i += STEP_F8) {
        __m512i x[VECTORS_F8], rounded;
        for (unsigned j = 0; j < VECTORS_F8; j++)
            x[j] = _mm512_castps_si512(_mm512_fmadd_round_ps(
                _mm512_loadu_ps(in + i + 16 * j), f.scale, _mm512_set1_ps(-0.0F),
                _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC));
        const __m512i highest =
            _mm512_max_epu16(_mm512_max_epu16(x[0], x[1]), _mm512_max_epu16(x[2], x[3]));
        __m512i code = f8_codes(&f, x, &rounded);
        if (!_kortestz_mask64_u8(_mm512_cmpeq_epi16_mask(highest, _mm512_set1_epi16(-1)),
                                 _mm512_cmpgt_epi8_mask(rounded, f.most))) {
            f8_to_even(&f, in + i, x);
            code = f8_codes(&f, x, &rounded);
            if (_mm512_cmpgt_epi8_mask(rounded, f.most))
                code = f8_beyond(&f, code, in + i);
        }
        _mm512_storeu_si512(out + i, code);
    }
    return i;
}
