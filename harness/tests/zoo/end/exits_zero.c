// SPDX-License-Identifier: Apache-2.0
// Exits with code 0, as if all were well.

#include <stdlib.h>

#include "harness/tests/zoo/zoo.h"

static bool misbehave(void)
{
    exit(0);
}

static const struct zoo_plugin zoo_plugin = {.name = "exits_zero", .before = misbehave};
