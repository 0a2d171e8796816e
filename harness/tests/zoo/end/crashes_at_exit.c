// SPDX-License-Identifier: Apache-2.0
// Computes well and leaves a function that dies when the process ends.

#include <stdlib.h>

#include "harness/tests/zoo/zoo.h"

static void crash(void)
{
    abort();
}

static bool misbehave(void)
{
    static int registered;
    if (!registered++)
        atexit(crash);
    return true;
}

static const struct zoo_plugin zoo_plugin = {.name = "crashes_at_exit", .before = misbehave};
