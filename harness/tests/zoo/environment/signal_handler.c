// SPDX-License-Identifier: Apache-2.0
// Replaces the handler of a signal.

#include <signal.h>

#include "harness/tests/zoo/zoo.h"

static bool misbehave(void)
{
    signal(SIGFPE, SIG_IGN);
    return true;
}

static const struct zoo_plugin zoo_plugin = {.name = "signal_handler", .before = misbehave};
