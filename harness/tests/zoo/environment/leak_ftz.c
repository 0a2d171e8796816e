// SPDX-License-Identifier: Apache-2.0
// Leaves flush to zero turned on.

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#include "harness/tests/zoo/zoo.h"

static bool misbehave(void)
{
#if defined(__x86_64__)
    _mm_setcsr(_mm_getcsr() | 0x8000);
#elif defined(__aarch64__)
    uint64_t control;
    __asm__ volatile("mrs %0, fpcr" : "=r"(control));
    control |= 1u << 24;
    __asm__ volatile("msr fpcr, %0" : : "r"(control));
#endif
    return true;
}

static const struct zoo_plugin zoo_plugin = {.name = "leak_ftz", .before = misbehave};
