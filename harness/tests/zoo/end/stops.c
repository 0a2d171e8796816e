// SPDX-License-Identifier: Apache-2.0
// Stops its process.

#include <signal.h>

#include "harness/tests/zoo/zoo.h"

static bool misbehave(void)
{
    raise(SIGSTOP);
    return true;
}

static const struct zoo_plugin zoo_plugin = {.name = "stops", .before = misbehave};
