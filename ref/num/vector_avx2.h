// SPDX-License-Identifier: Apache-2.0
// Vectors of four doubles, for AVX2 with FMA.

#ifndef ASSAY_REF_NUM_VECTOR_AVX2_H
#define ASSAY_REF_NUM_VECTOR_AVX2_H

#include <immintrin.h>

#define LANES 4
#define PRODUCT_ROWS 6
#define SINGLES 8
#define INTEGERS 8
#define INTEGER_ROWS 6
#define FUSED(a, b, c) _mm256_fmadd_pd((__m256d)(a), (__m256d)(b), (__m256d)(c))
#define FUSED_SINGLES(a, b, c) _mm256_fmadd_ps((__m256)(a), (__m256)(b), (__m256)(c))
#define FUSED_SINGLES_ONCE 1
#define ADD_PAIRS(a, b, c) ((c) + (integers)_mm256_madd_epi16((__m256i)(a), (__m256i)(b)))
#define WIDEN(x) _mm256_cvtps_pd((__m128)(x))
#define NARROW(x) _mm256_cvtpd_ps((__m256d)(x))
#define WIDEN_MASK(m) _mm256_cvtepi32_epi64((__m128i)(m))
#define GREATER(a, b) _mm256_max_pd((__m256d)(a), (__m256d)(b))
#define GREATER_SINGLES(a, b) _mm256_max_ps((__m256)(a), (__m256)(b))
#define ALL(m) (_mm256_movemask_pd((__m256d)(m)) == 0xf)
#define PIECES 4
#define PLACES(k)                                                                                  \
    _mm256_or_si256(_mm256_shuffle_epi32((__m256i)((k) + (k)), 0xa0),                              \
                    _mm256_set1_epi64x(INT64_C(1) << 32))
#define CHOOSE(t, k) _mm256_permutevar8x32_epi32((__m256i)(t), (__m256i)(k))
#define LOOK_UP(t, k) _mm256_i64gather_pd(t, (__m256i)(k), 8)
#define ANY_BITS(m) (!_mm_testz_si128((__m128i)(m), (__m128i)(m)))

#include "ref/num/vector.h"

#endif
