// SPDX-License-Identifier: Apache-2.0
// The counting loops for AVX2.

#define KERNEL_LANES 8
#define KERNEL_NAME kernel_avx2
#include "stats/kernel_body.h"
