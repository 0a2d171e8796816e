// SPDX-License-Identifier: Apache-2.0
// Leaves the x87 unit rounding to single precision (where there is one; else another rounding
// mode).

#include <fenv.h>

#include "harness/tests/zoo/zoo.h"

static bool misbehave(void)
{
#if defined(__x86_64__)
    uint16_t control = 0;
    __asm__ volatile("fnstcw %0" : "=m"(control));
    control = (uint16_t)(control & ~0x300);
    __asm__ volatile("fldcw %0" : : "m"(control));
#else
    fesetround(FE_UPWARD);
#endif
    return true;
}

static const struct zoo_plugin zoo_plugin = {.name = "leak_x87", .before = misbehave};
