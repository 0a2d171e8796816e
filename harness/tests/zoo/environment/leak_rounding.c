// SPDX-License-Identifier: Apache-2.0
// Leaves the rounding mode changed.

#include <fenv.h>

#include "harness/tests/zoo/zoo.h"

static bool misbehave(void)
{
    fesetround(FE_TOWARDZERO);
    return true;
}

static const struct zoo_plugin zoo_plugin = {.name = "leak_rounding", .before = misbehave};
