// SPDX-License-Identifier: Apache-2.0
// The inner loops on four lanes, for AVX2.

#include "ref/num/vector_avx2.h"

#define KERNEL num_kernel_avx2
#include "ref/num/product/kernel_body.h"
