// SPDX-License-Identifier: Apache-2.0
// Aborts.

#include <stdlib.h>

#include "harness/tests/zoo/zoo.h"

static bool misbehave(void)
{
    abort();
}

static const struct zoo_plugin zoo_plugin = {.name = "aborts", .before = misbehave};
