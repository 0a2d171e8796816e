// SPDX-License-Identifier: Apache-2.0
// Vectors of eight doubles, for AVX-512 with its extensions DQ and VL.

#ifndef ASSAY_REF_NUM_VECTOR_AVX512_H
#define ASSAY_REF_NUM_VECTOR_AVX512_H

#include <immintrin.h>

#define LANES 8
#define PRODUCT_ROWS 8
#define SINGLES 8
#define INTEGERS 16
#define INTEGER_ROWS 16
#define FUSED(a, b, c) _mm512_fmadd_pd((__m512d)(a), (__m512d)(b), (__m512d)(c))
#define FUSED_SINGLES(a, b, c) _mm256_fmadd_ps((__m256)(a), (__m256)(b), (__m256)(c))
#define ADD_PAIRS(a, b, c) ((c) + (integers)_mm512_madd_epi16((__m512i)(a), (__m512i)(b)))
#define FUSED_SINGLES_ONCE 1
#define WIDEN(x) _mm512_cvtps_pd((__m256)(x))
#define NARROW(x) _mm512_cvtpd_ps((__m512d)(x))
#define WIDEN_MASK(m) _mm512_cvtepi32_epi64((__m256i)(m))
#define GREATER(a, b) _mm512_max_pd((__m512d)(a), (__m512d)(b))
#define GREATER_SINGLES(a, b) _mm256_max_ps((__m256)(a), (__m256)(b))
#define ALL(m) (_mm512_movepi64_mask((__m512i)(m)) == 0xff)
#define PIECES 8
#define PLACES(k) (k)
#define CHOOSE(t, k) _mm512_permutexvar_pd((__m512i)(k), (__m512d)(t))
#define LOOK_UP(t, k) _mm512_i64gather_pd((__m512i)(k), t, 8)
#define ANY_BITS(m) (!_mm256_testz_si256((__m256i)(m), (__m256i)(m)))

#include "ref/num/vector.h"

#endif
