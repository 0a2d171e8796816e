// SPDX-License-Identifier: Apache-2.0
// The inner loops on eight lanes, for AVX-512.

#include "ref/num/vector_avx512.h"

#define KERNEL num_kernel_avx512
#include "ref/num/product/kernel_body.h"
