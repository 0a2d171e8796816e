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
#define FUSED_64(a, b, c) _mm512_fmsub_pd((__m512d)(a), (__m512d)(b), (__m512d)(c))
#define F64_OF(x) _mm512_cvtepu64_pd((__m512i)(x))
#define ADD_BELOW_64(x, end, sum, more)                                                            \
    _mm512_mask_add_epi64((__m512i)(sum), _mm512_cmpgt_epi64_mask((__m512i)(end), (__m512i)(x)),   \
                          (__m512i)(sum), (__m512i)(more))
#define F16_OF(x) _mm512_cvtps_ph((__m512)(x), _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)
#define F32_OF_F16(x) _mm512_cvtph_ps(x)
#define store_past_caches(at, value) _mm512_stream_si512((__m512i *)(void *)(at), (__m512i)(value))

#include "ref/op/openvino/random_uniform_wide.h"

// ---- 32-bit integers by an estimate -----------------------------------------

struct estimate_32 {
    float_lanes inverse, bias;
    word_lanes span, middle, minimum;
};

static bool has_estimate_32(struct estimate_32 *by, const struct random_uniform_integer *integer)
{
    struct estimate estimate;
    const bool has = has_estimate(&estimate, integer->span, 0x4b000000, 32);
    const float_lanes zero = {0};
    const word_lanes none = {0};
    *by = (struct estimate_32){
        .inverse = (float)(1 / (double)integer->span) - zero,
        .bias = -(0x1p23f + (float)estimate.bias) - zero,
        .span = (uint32_t)integer->span - none,
        .middle = (uint32_t)estimate.middle - none,
        .minimum = (uint32_t)(integer->minimum - estimate.middle) - none,
    };
    return has;
}

static inline word_lanes i32_estimated(word_lanes x, const struct estimate_32 *by)
{
    const word_lanes quotient =
                         (word_lanes)FUSED(_mm512_cvtepu32_ps((__m512i)x), by->inverse, by->bias),
                     rest = x - quotient * by->span;
    const __m512i sum = (__m512i)(rest + by->minimum);
    return (word_lanes)_mm512_mask_add_epi32(
        sum, _mm512_cmpgt_epi32_mask((__m512i)by->middle, (__m512i)rest), sum, (__m512i)by->span);
}

WAY(i32_estimated, struct estimate_32, i32_estimated(x, &how))

static void any_i32(const struct random_uniform_integer *integer, const uint32_t *word,
                    size_t count, uint32_t *data, bool streamed)
{
    struct estimate_32 by;
    if (!has_estimate_32(&by, integer)) {
        values_i32(integer, word, count, data, streamed);
        return;
    }
    FOR_ALL(1, i32_estimated(x, &by))
}

static size_t any_i32_drawn(const struct random_uniform_integer *integer,
                            const struct random_uniform_drawn *drawn, uint32_t *data)
{
    struct estimate_32 by;
    return has_estimate_32(&by, integer) ? DRAWN(drawn, data, way_i32_estimated, &by)
                                         : i32_drawn(integer, drawn, data);
}

// ---- 16 bits from what was drawn ---------------------------------------------

// Of the words of a last round, each at most once, the lower 16 bits in any order.
struct lower {
    __m512i products, others; // places in p and q, in d and b
    __m512i subkeys;
    __mmask32 mixed; // where others and subkeys are added
};

// `place` is that of each of 32 words.
static struct lower lower_of(const struct philox_stream *stream, const uint16_t place[32])
{
    uint16_t products[32], others[32], subkeys[32];
    __mmask32 mixed = 0;
    for (unsigned word = 0; word < 32; word++) {
        const unsigned block = word / 4, at = place[word],
                       lane = block < 4 ? 2 * block : 2 * block - 7;
        const uint32_t weyl = word & 2 ? 0xBB67AE85 : 0x9E3779B9;
        others[at] = (uint16_t)(4 * lane + 16 * (word & 2));
        products[at] = (uint16_t)(others[at] + (word & 1 ? 0 : 2));
        subkeys[at] =
            word & 1 ? 0 : (uint16_t)(stream->key[word >> 1 & 1] + (stream->rounds - 1) * weyl);
        mixed |= (__mmask32)(~word & 1) << at;
    }
    return (struct lower){_mm512_loadu_si512(products), _mm512_loadu_si512(others),
                          _mm512_loadu_si512(subkeys), mixed};
}

// A way's `how` begins with a `struct lower`.
static inline void take_lower(const void *how, const struct wide_round *last, wide kept[2])
{
    const struct lower *const lower = how;
    const __m512i products = _mm512_permutex2var_epi16((__m512i)last->q, lower->products,
                                                       (__m512i)last->p),
                  others = _mm512_maskz_permutex2var_epi16(lower->mixed, (__m512i)last->b,
                                                           lower->others, (__m512i)last->d);
    kept[0] = (wide)_mm512_ternarylogic_epi32(products, others, lower->subkeys, 0x96);
}

// bf16: one of 128 values, looked up.
struct found {
    struct lower lower;
    __m512i value[4];
};

static inline unsigned char *give_found(const void *how, const wide kept[2], unsigned char *out,
                                        int streaming)
{
    const struct found found = *(const struct found *)how;
    const __m512i draw = (__m512i)kept[0];
    const __m512i low = _mm512_permutex2var_epi16(found.value[0], draw, found.value[1]),
                  high = _mm512_permutex2var_epi16(found.value[2], draw, found.value[3]);
    const __mmask32 upper = _mm512_test_epi16_mask(draw, _mm512_set1_epi16(64));
    wide_put(out, (wide)_mm512_mask_blend_epi16(upper, low, high), streaming);
    return out + WIDE_BYTES;
}

static const struct wide_way way_found = {take_lower, give_found};

static size_t bf16_drawn(const struct random_uniform_narrow *narrow,
                         const struct random_uniform_drawn *drawn, uint16_t *data)
{
    enum { DRAWS = 128, HALF = 32 };
    uint32_t draw[DRAWS];
    uint16_t value[DRAWS], place[HALF];
    for (uint32_t i = 0; i < DRAWS; i++)
        draw[i] = i;
    for (unsigned i = 0; i < HALF; i++)
        place[i] = (uint16_t)i;
    values_narrow(narrow, draw, DRAWS, value);
    struct found found = {.lower = lower_of(drawn->stream, place)};
    for (unsigned i = 0; i < DRAWS / HALF; i++)
        found.value[i] = _mm512_loadu_si512(value + HALF * i);
    return DRAWN(drawn, data, way_found, &found);
}

// f16: the first half of the words in the lower halves of lanes, the second half in the upper ones.
struct halves {
    struct lower lower;
    struct random_uniform_narrow low, high;
};

static inline unsigned char *give_halves(const void *how, const wide kept[2], unsigned char *out,
                                         int streaming)
{
    const struct halves halves = *(const struct halves *)how;
    const word_lanes draw = (word_lanes)kept[0];
    put_halves(out, half_of(draw, &halves.low), half_of(draw, &halves.high), streaming);
    return out + WIDE_BYTES;
}

static const struct wide_way way_halves = {take_lower, give_halves};

static size_t f16_drawn(const struct random_uniform_narrow *narrow,
                        const struct random_uniform_drawn *drawn, uint16_t *data)
{
    uint16_t place[32];
    for (unsigned i = 0; i < 32; i++)
        place[i] = (uint16_t)(2 * i % 32 + i / 16);
    struct halves halves = {lower_of(drawn->stream, place), *narrow, *narrow};
    halves.low.shift = halves.high.shift = 0; // said to the compiler
    halves.high.mask <<= 16;
    halves.high.scale *= 0x1p-16f;
    return DRAWN(drawn, data, way_halves, &halves);
}

static size_t narrow_drawn(const struct random_uniform_narrow *narrow,
                           const struct random_uniform_drawn *drawn, uint16_t *data)
{
    return narrow->shift      ? 0
           : narrow->bf16     ? bf16_drawn(narrow, drawn, data)
           : has_half(narrow) ? f16_drawn(narrow, drawn, data)
                              : narrow_computed(narrow, drawn, data);
}

const struct random_uniform_form random_uniform_form_avx512 = {
    FORM_ROWS, .i32 = any_i32, .i32_drawn = any_i32_drawn, .narrow_drawn = narrow_drawn};
