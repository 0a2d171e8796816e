// SPDX-License-Identifier: Apache-2.0
// The inner loops on two lanes, for any machine.

#include "ref/num/vector_portable.h"

#define KERNEL num_kernel_portable
#include "ref/num/product/kernel_body.h"
