// SPDX-License-Identifier: Apache-2.0
// The loops of the glance for AVX2.

#include "ref/num/vector_avx2.h"

#define FORM glance_form_avx2
#include "ref/op/declared/loops/glance_kernel.h"
