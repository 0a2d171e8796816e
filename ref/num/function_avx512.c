// SPDX-License-Identifier: Apache-2.0
// Eight lanes for AVX-512.

#include <immintrin.h>

#define LANES 8
#define ESTIMATE function_estimate_avx512
#define FUSED(a, b, c) _mm512_fmadd_pd(a, b, c)

#include "ref/num/function_kernel.h"
