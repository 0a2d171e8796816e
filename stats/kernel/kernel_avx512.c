// SPDX-License-Identifier: Apache-2.0
// The counting loops for AVX-512.

#include <immintrin.h>

#define KERNEL_LEAST(a, b) ((vector)_mm512_min_epu32((__m512i)(a), (__m512i)(b)))
#define KERNEL_MOST(a, b) ((vector)_mm512_max_epu32((__m512i)(a), (__m512i)(b)))
#define KERNEL_BITS(a) ((uint32_t)_mm512_movepi32_mask((__m512i)(a)))
#define KERNEL_PRODUCTS(a, b) ((vector64)_mm512_mul_epu32((__m512i)(a), (__m512i)(b)))
#define KERNEL_MAJORITY(a, b, c)                                                                   \
    ((vector)_mm512_ternarylogic_epi32((__m512i)(a), (__m512i)(b), (__m512i)(c), 0xe8))
#define KERNEL_PARITY(a, b, c)                                                                     \
    ((vector)_mm512_ternarylogic_epi32((__m512i)(a), (__m512i)(b), (__m512i)(c), 0x96))
#define KERNEL_TURN(a, right)                                                                      \
    ((vector)_mm512_rorv_epi32((__m512i)(a), _mm512_set1_epi32((int)(right))))
#define KERNEL_LANES 16
#define KERNEL_NAME kernel_avx512
#include "stats/kernel/kernel_body.h"
