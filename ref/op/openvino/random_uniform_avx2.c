// SPDX-License-Identifier: Apache-2.0
// Values of openvino.random_uniform, eight words at a time.

#include "ref/rng/philox_wide_avx2.h"

#define BYTES 32
#define MULTIPLY(a, b) _mm256_mul_epu32((__m256i)(a), (__m256i)(b))
#define UPPER_HALVES(even, odd)                                                                    \
    _mm256_blend_epi32(_mm256_srli_epi64((__m256i)(even), 32), (__m256i)(odd), 0xaa)
#define LEAST_32(a, b) _mm256_min_epu32((__m256i)(a), (__m256i)(b))
#define LEAST_64(a, b) ((b) ^ (((a) ^ (b)) & (pair_lanes)((a) < (b))))
#define AND_OR(a, b, c) (((__m256i)(a) & (__m256i)(b)) | (__m256i)(c))
#define FUSED(a, b, c) _mm256_fmsub_ps((__m256)(a), (__m256)(b), (__m256)(c))
#define FUSED_64(a, b, c) _mm256_fmsub_pd((__m256d)(a), (__m256d)(b), (__m256d)(c))
#define F64_OF(x) f64_of_integers((__m256i)(x))
#define ADD_BELOW_64(x, end, sum, more)                                                            \
    ((sum) + ((more) & (pair_lanes)_mm256_cmpgt_epi64((__m256i)(end), (__m256i)(x))))
#define F16_OF(x) _mm256_cvtps_ph((__m256)(x), _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)
#define F32_OF_F16(x) _mm256_cvtph_ps(x)
#define store_past_caches(at, value) _mm256_stream_si256((__m256i *)(void *)(at), (__m256i)(value))

// x rounded once: 2^84 + 2^52 and the upper half less that is exact.
static inline __m256d f64_of_integers(__m256i x)
{
    const __m256i above = _mm256_or_si256(_mm256_srli_epi64(x, 32),
                                          _mm256_set1_epi64x(INT64_C(0x453) << 52)),
                  below = _mm256_blend_epi32(x, _mm256_set1_epi64x(INT64_C(0x433) << 52), 0xaa);
    return _mm256_add_pd(_mm256_sub_pd(_mm256_castsi256_pd(above), _mm256_set1_pd(0x1p84 + 0x1p52)),
                         _mm256_castsi256_pd(below));
}

#include "ref/op/openvino/random_uniform_wide.h"

const struct random_uniform_form random_uniform_form_avx2 = {
    FORM_ROWS, .i32 = values_i32, .i32_drawn = i32_drawn, .narrow_drawn = narrow_computed};
