// SPDX-License-Identifier: Apache-2.0
// The counting loops for AVX2.

#include <immintrin.h>

#define KERNEL_LEAST(a, b) ((vector)_mm256_min_epu32((__m256i)(a), (__m256i)(b)))
#define KERNEL_MOST(a, b) ((vector)_mm256_max_epu32((__m256i)(a), (__m256i)(b)))
#define KERNEL_BITS(a) ((uint32_t)_mm256_movemask_ps((__m256)(a)))
#define KERNEL_PRODUCTS(a, b) ((vector64)_mm256_mul_epu32((__m256i)(a), (__m256i)(b)))
#define KERNEL_LANES 8
#define KERNEL_NAME kernel_avx2
#include "stats/kernel/kernel_body.h"
