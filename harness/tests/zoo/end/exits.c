// SPDX-License-Identifier: Apache-2.0
// Exits.

#include <stdlib.h>

#include "harness/tests/zoo/zoo.h"

static bool misbehave(void)
{
    exit(3);
}

static const struct zoo_plugin zoo_plugin = {.name = "exits", .before = misbehave};
