// SPDX-License-Identifier: Apache-2.0
// Four lanes for AVX2.

#define LANES 4
#define ESTIMATE function_estimate_avx2

#include "ref/num/function_kernel.h"
