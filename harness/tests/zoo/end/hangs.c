// SPDX-License-Identifier: Apache-2.0
// Waits for ever.

#include <unistd.h>

#include "harness/tests/zoo/zoo.h"

static bool misbehave(void)
{
    for (;;)
        pause();
    return true;
}

static const struct zoo_plugin zoo_plugin = {.name = "hangs", .before = misbehave};
