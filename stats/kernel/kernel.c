// SPDX-License-Identifier: Apache-2.0
// Which counting loops are in force.

#include "stats/kernel/kernel.h"

#include "ref/base/isa.h"

const struct kernel *kernel_chosen(void)
{
#if defined(__x86_64__)
    switch (isa_chosen()) {
    case ISA_AVX512:
        return &kernel_avx512;
    case ISA_AVX2:
        return &kernel_avx2;
    default:
        break;
    }
#endif
    return &kernel_scalar;
}
