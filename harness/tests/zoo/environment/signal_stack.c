// SPDX-License-Identifier: Apache-2.0
// Takes away the stack on which signals are handled.

#include <signal.h>

#include "harness/tests/zoo/zoo.h"

static bool misbehave(void)
{
    const stack_t none = {.ss_flags = SS_DISABLE};
    sigaltstack(&none, NULL);
    return true;
}

static const struct zoo_plugin zoo_plugin = {.name = "signal_stack", .before = misbehave};
