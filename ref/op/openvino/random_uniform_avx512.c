// SPDX-License-Identifier: Apache-2.0
// Values of openvino.random_uniform, sixteen words at a time.

#include "ref/rng/philox_wide_avx512.h"

#define BYTES 64
#define MULTIPLY(a, b) _mm512_mul_epu32((__m512i)(a), (__m512i)(b))
#define UPPER_HALVES(even, odd)                                                                    \
    _mm512_mask_shuffle_epi32((__m512i)(odd), 0x5555, (__m512i)(even), _MM_PERM_DDBB)
#define LEAST_32(a, b) _mm512_min_epu32((__m512i)(a), (__m512i)(b))
#define LEAST_64(a, b) _mm512_min_epu64((__m512i)(a), (__m512i)(b))
#define AND_OR(a, b, c) _mm512_ternarylogic_epi32((__m512i)(a), (__m512i)(b), (__m512i)(c), 0xea)
#define FUSED(a, b, c) _mm512_fmsub_ps((__m512)(a), (__m512)(b), (__m512)(c))
#define F16_OF(x) _mm512_cvtps_ph((__m512)(x), _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)
#define F32_OF_F16(x) _mm512_cvtph_ps(x)
#define store_past_caches(at, value) _mm512_stream_si512((__m512i *)(void *)(at), (__m512i)(value))

#include "ref/op/openvino/random_uniform_wide.h"

// ---- bf16 from words that were drawn: one of 128 values, looked up -----------

struct found {
    __m512i places, value[4];
};

static inline unsigned char *give_found(const void *how, wide first, wide second,
                                        unsigned char *out, int streaming)
{
    const struct found *const found = how;
    const __m512i draw = _mm512_permutex2var_epi16((__m512i)first, found->places, (__m512i)second);
    const __m512i low = _mm512_permutex2var_epi16(found->value[0], draw, found->value[1]),
                  high = _mm512_permutex2var_epi16(found->value[2], draw, found->value[3]);
    const __mmask32 upper = _mm512_test_epi16_mask(draw, _mm512_set1_epi16(64));
    wide_put(out, (wide)_mm512_mask_blend_epi16(upper, low, high), streaming);
    return out + WIDE_BYTES;
}

static size_t narrow_drawn(const struct random_uniform_narrow *narrow,
                           const struct random_uniform_drawn *drawn, uint16_t *data)
{
    enum { DRAWS = 128, HALF = 32 };
    if (!narrow->bf16 || narrow->shift)
        return narrow_computed(narrow, drawn, data);
    uint32_t draw[DRAWS];
    uint16_t value[DRAWS], place[HALF];
    for (uint32_t i = 0; i < DRAWS; i++)
        draw[i] = i;
    for (unsigned i = 0; i < HALF; i++)
        place[i] = (uint16_t)(2 * i);
    values_narrow(narrow, draw, DRAWS, value);
    struct found found = {.places = _mm512_loadu_si512(place)};
    for (unsigned i = 0; i < DRAWS / HALF; i++)
        found.value[i] = _mm512_loadu_si512(value + HALF * i);
    return DRAWN(drawn, data, give_found, &found);
}

const struct random_uniform_form random_uniform_form_avx512 = {FORM_ROWS,
                                                               .narrow_drawn = narrow_drawn};
