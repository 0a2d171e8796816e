// SPDX-License-Identifier: Apache-2.0
// The inner loops on two lanes, for any machine.

#define LANES 2
#define KERNEL num_kernel_portable

#include "ref/num/kernel_body.h"
