// SPDX-License-Identifier: Apache-2.0
// Two lanes: what SSE2, NEON and the vector facilities of other machines hold; the compiler does without where there are none.

#define LANES 2
#define ESTIMATE function_estimate_portable

#include "ref/num/function_kernel.h"
