// SPDX-License-Identifier: Apache-2.0
// First looks at elementary functions. Four lanes, for AVX2.

#include "ref/num/vector_avx2.h"

#define FORM function_form_avx2
#include "ref/num/function/function_kernel.h"
