// SPDX-License-Identifier: Apache-2.0
// Sends itself a signal.

#include <signal.h>

#include "harness/tests/zoo/zoo.h"

static bool misbehave(void)
{
    raise(SIGTERM);
    return true;
}

static const struct zoo_plugin zoo_plugin = {.name = "throws_signal", .before = misbehave};
