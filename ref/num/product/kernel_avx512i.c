// SPDX-License-Identifier: Apache-2.0
// The inner loops on eight lanes, for AVX-512 with VNNI, which adds up products of integers in one
// instruction.

#include "ref/num/vector_avx512.h"

#undef ADD_PAIRS
#define ADD_PAIRS(a, b, c) ((integers)_mm512_dpwssd_epi32((__m512i)(c), (__m512i)(a), (__m512i)(b)))

#define KERNEL num_kernel_avx512i
#include "ref/num/product/kernel_body.h"
