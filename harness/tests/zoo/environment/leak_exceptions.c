// SPDX-License-Identifier: Apache-2.0
// Leaves floating-point exceptions unmasked.

#define _GNU_SOURCE
#include <fenv.h>

#include "harness/tests/zoo/zoo.h"

static bool misbehave(void)
{
    feenableexcept(FE_DIVBYZERO);
    return true;
}

static const struct zoo_plugin zoo_plugin = {.name = "leak_exceptions", .before = misbehave};
