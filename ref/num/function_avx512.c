// SPDX-License-Identifier: Apache-2.0
// Eight lanes for AVX-512.

#define LANES 8
#define ESTIMATE function_estimate_avx512

#include "ref/num/function_kernel.h"
