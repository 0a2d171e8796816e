// SPDX-License-Identifier: Apache-2.0
// Becomes another program.

#include <unistd.h>

#include "harness/tests/zoo/zoo.h"

static bool misbehave(void)
{
    char name[] = "true", *const arguments[] = {name, NULL};
    execv("/bin/true", arguments);
    return true;
}

static const struct zoo_plugin zoo_plugin = {.name = "execs", .before = misbehave};
