// SPDX-License-Identifier: Apache-2.0
// Takes denormals for zero from then on.

#include "harness/tests/zoo/zoo.h"

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

static bool misbehave(void)
{
#if defined(__x86_64__)
    _mm_setcsr(_mm_getcsr() | 0x40);
#else
    uint64_t control;
    __asm__ volatile("mrs %0, fpcr" : "=r"(control));
    __asm__ volatile("msr fpcr, %0" : : "r"(control | 1u << 24));
#endif
    return true;
}

static const struct zoo_plugin zoo_plugin = {.name = "leak_daz", .before = misbehave};
