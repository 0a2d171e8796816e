// SPDX-License-Identifier: Apache-2.0
// f32 to bf16, 32 at a time, and to 8-bit floats, 64 at a time. The processor's own conversion to
// bf16 flushes subnormal numbers; integers do not.

#include "ref/num/convert.h"

#include <immintrin.h>
#include <math.h>
#include <stdint.h>

#include "ref/base/bytes.h"
#include "ref/num/exact.h"

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

// ---- 8-bit floats -----------------------------------------------------------

// With precision p, let c be the power of two at or below |x|, or the least normal number. The sum
// c 2^(24 - p) + |x| is rounded once, to a multiple of c 2^(1 - p), and counts them in its low
// bits: n. The code of x is n and 2^(p - 1) for each power of two that c is above the least: the
// weighted sum of the halves of those bits and a constant, which stands in the low bits of c. It is
// even, so that ties go to even n.
enum { STEP_F8 = 64, CODE_SHIFT = 8 };

struct f8 {
    __m512 scale; // 2^(24 - p)
    __m512i constant, least, weights;
    __m512i most, last, nan; // all above `most` has its code, what is above `last` none but NaN
    __m512i bytes, places;   // the order of bytes in 128 bits, of 32-bit lanes in all
};

static struct f8 f8_of(enum dtype to)
{
    const struct num_format *const f = num_format_of(to);
    const int p = f->precision, dropped = 24 - p;
    const uint32_t constant = -((uint32_t)(f->exponent_min + dropped + 127) << (p - 1)) & 0xffff;
    const double largest = num_to_double(to, f->largest), ulp = ldexp(1, f->exponent_max + 1 - p);
    const double last = f->infinity == f->nan ? largest + ulp / 2 : (double)INFINITY;
    uint8_t byte[STEP_F8];
    uint32_t place[STEP_F8 / 4];
    for (unsigned i = 0; i < STEP_F8; i++)
        byte[i] = (uint8_t)(i / 4 % 2 * 8 + i / 8 % 2 + i % 4 * 2);
    for (unsigned i = 0; i < STEP_F8 / 4; i++)
        place[i] = i % 4 * 4 + i / 4;
    return (struct f8){
        .scale = _mm512_set1_ps(ldexpf(1, dropped)),
        .constant = _mm512_set1_epi32((int)constant),
        .least = _mm512_set1_epi32((f->exponent_min + 127) << 23 | (int)constant),
        .weights = _mm512_set1_epi32((1 << p) << 16 | 1 << CODE_SHIFT),
        .most = _mm512_set1_epi32((int)float_bits((float)(largest + ulp))),
        .last = _mm512_set1_epi32((int)float_bits((float)last)),
        .nan = _mm512_set1_epi8((char)f->nan),
        .bytes = _mm512_loadu_si512(byte),
        .places = _mm512_loadu_si512(place),
    };
}

// Codes, eight bits up in each lane.
static __m512i f8_words(const struct f8 *f, __m512i magnitude)
{
    const __m512i x = _mm512_min_epi32(magnitude, f->most);
    const __m512i power =
        _mm512_ternarylogic_epi32(x, _mm512_set1_epi32(0x7f800000), f->constant, 0xea);
    const __m512 c = _mm512_castsi512_ps(_mm512_max_epi32(power, f->least));
    const __m512 sum = _mm512_fmadd_ps(c, f->scale, _mm512_castsi512_ps(x));
    return _mm512_madd_epi16(_mm512_castps_si512(sum), f->weights);
}

// Of 32 elements the codes, with signs, in the upper bytes of 16 bits: a number that is negative as
// an integer is packed as the least one.
static __m512i f8_signed(const __m512i x[2], const __m512i word[2])
{
    return _mm512_ternarylogic_epi32(_mm512_packs_epi32(x[0], x[1]), _mm512_set1_epi16(INT16_MIN),
                                     _mm512_packs_epi32(word[0], word[1]), 0xea);
}

size_t convert_f8_avx512(enum dtype to, uint8_t *out, const float *in, size_t count)
{
    const struct f8 f = f8_of(to);
    size_t i = 0;
    for (; i + STEP_F8 <= count; i += STEP_F8) {
        __m512i x[4], magnitude[4], word[4];
        for (unsigned j = 0; j < 4; j++) {
            x[j] = _mm512_loadu_si512(in + i + 16 * j);
            magnitude[j] = _mm512_and_si512(x[j], _mm512_set1_epi32(INT32_MAX));
            word[j] = f8_words(&f, magnitude[j]);
        }
        const __m512i packed = _mm512_or_si512(_mm512_srli_epi16(f8_signed(x, word), CODE_SHIFT),
                                               f8_signed(x + 2, word + 2));
        __m512i code = _mm512_permutexvar_epi32(f.places, _mm512_shuffle_epi8(packed, f.bytes));
        const __m512i greatest = _mm512_max_epi32(_mm512_max_epi32(magnitude[0], magnitude[1]),
                                                  _mm512_max_epi32(magnitude[2], magnitude[3]));
        if (_mm512_cmpgt_epi32_mask(greatest, f.last)) {
            uint64_t none = 0;
            for (unsigned j = 0; j < 4; j++)
                none |= (uint64_t)_mm512_cmpgt_epi32_mask(magnitude[j], f.last) << 16 * j;
            code = _mm512_mask_blend_epi8(none, code, f.nan);
        }
        _mm512_storeu_si512(out + i, code);
    }
    return i;
}
