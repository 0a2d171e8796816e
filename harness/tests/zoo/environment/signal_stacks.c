// SPDX-License-Identifier: Apache-2.0
// Handles signals on a stack of its own, another one in every call.

#include <signal.h>

#include "harness/tests/zoo/zoo.h"

enum { STACKS = 2, STACK_BYTES = 1 << 16 };

static bool misbehave(void)
{
    static char space[STACKS][STACK_BYTES];
    static unsigned calls;
    const stack_t own = {.ss_sp = space[calls++ % STACKS], .ss_size = STACK_BYTES};
    sigaltstack(&own, NULL);
    return true;
}

static const struct zoo_plugin zoo_plugin = {.name = "signal_stacks", .before = misbehave};
