// SPDX-License-Identifier: Apache-2.0
// The loops of the glance for AArch64.

#include "ref/num/vector_neon.h"

#define FORM glance_form_neon
#include "ref/op/declared/loops/glance_kernel.h"
