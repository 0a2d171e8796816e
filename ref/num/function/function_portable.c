// SPDX-License-Identifier: Apache-2.0
// First looks at elementary functions. Two lanes, for any machine.

#include "ref/num/vector_portable.h"

#define FORM function_form_portable
#include "ref/num/function/function_kernel.h"
