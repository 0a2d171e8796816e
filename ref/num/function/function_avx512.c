// SPDX-License-Identifier: Apache-2.0
// First looks at elementary functions. Eight lanes, for AVX-512.

#include "ref/num/vector_avx512.h"

#define FORM function_form_avx512
#include "ref/num/function/function_kernel.h"
