// SPDX-License-Identifier: Apache-2.0
// Changes the environment variables.

#include <stdlib.h>

#include "harness/tests/zoo/zoo.h"

static bool misbehave(void)
{
    setenv("ZOO_WAS_HERE", "1", 1);
    return true;
}

static const struct zoo_plugin zoo_plugin = {.name = "variables", .before = misbehave};
