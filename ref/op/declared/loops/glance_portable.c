// SPDX-License-Identifier: Apache-2.0
// The loops of the glance for every machine.

#include "ref/num/vector_portable.h"

#define FORM glance_form_portable
#include "ref/op/declared/loops/glance_kernel.h"
