// SPDX-License-Identifier: Apache-2.0
// The inner loops on two lanes, for AArch64.

#include "ref/num/vector_neon.h"

#define KERNEL num_kernel_neon
#include "ref/num/product/kernel_body.h"
