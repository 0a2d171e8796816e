// SPDX-License-Identifier: Apache-2.0
// First looks at elementary functions. Two lanes, for AArch64.

#include "ref/num/vector_neon.h"

#define FORM function_form_neon
#include "ref/num/function/function_kernel.h"
