// SPDX-License-Identifier: Apache-2.0
// Four lanes for AVX2.

#include <immintrin.h>

#define LANES 4
#define ESTIMATE function_estimate_avx2
#define FUSED(a, b, c) _mm256_fmadd_pd(a, b, c)

#include "ref/num/function_kernel.h"
