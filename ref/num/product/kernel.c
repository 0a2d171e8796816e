// SPDX-License-Identifier: Apache-2.0
// Which inner loops serve.

#include "ref/num/product/kernel.h"

#include "ref/base/isa.h"

const struct num_kernel *num_kernel_chosen(void)
{
#if defined(__x86_64__)
    if (isa_has_products())
        return &num_kernel_avx512i;
#endif
    return ISA_FORM(isa_chosen(), &num_kernel, &num_kernel_portable);
}
