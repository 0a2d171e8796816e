// SPDX-License-Identifier: Apache-2.0
// The counting loops for AVX-512.

#define KERNEL_LANES 16
#define KERNEL_NAME kernel_avx512
#include "stats/kernel_body.h"
