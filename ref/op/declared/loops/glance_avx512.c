// SPDX-License-Identifier: Apache-2.0
// The loops of the glance for AVX-512.

#include "ref/num/vector_avx512.h"

#define FORM glance_form_avx512
#include "ref/op/declared/loops/glance_kernel.h"
