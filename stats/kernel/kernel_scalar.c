// SPDX-License-Identifier: Apache-2.0
// The counting loops in portable C.

#define KERNEL_LANES 8
#define KERNEL_NAME kernel_scalar
#include "stats/kernel/kernel_body.h"
