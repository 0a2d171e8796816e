// SPDX-License-Identifier: Apache-2.0
// Which inner loops serve.

#include "ref/num/product/kernel.h"

#include "ref/base/isa.h"

const struct num_kernel *num_kernel_chosen(void)
{
#if defined(__x86_64__)
    if (isa_chosen() == ISA_AVX512)
        return &num_kernel_avx512;
    if (isa_chosen() == ISA_AVX2)
        return &num_kernel_avx2;
#elif defined(__aarch64__)
    if (isa_chosen() == ISA_NEON)
        return &num_kernel_neon;
#endif
    return &num_kernel_portable;
}
