// SPDX-License-Identifier: Apache-2.0
// Makes the process nicer than it was, or less nice where it cannot be nicer.

#include <sys/resource.h>

#include "harness/tests/zoo/zoo.h"

static bool misbehave(void)
{
    enum { NICEST = 19 };
    const int now = getpriority(PRIO_PROCESS, 0);
    setpriority(PRIO_PROCESS, 0, now < NICEST ? now + 1 : now - 1);
    return true;
}

static const struct zoo_plugin zoo_plugin = {.name = "priority", .before = misbehave};
