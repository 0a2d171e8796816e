// SPDX-License-Identifier: Apache-2.0
// Changes the current directory.

#include <unistd.h>

#include "harness/tests/zoo/zoo.h"

static bool misbehave(void)
{
    return !chdir("/");
}

static const struct zoo_plugin zoo_plugin = {.name = "directory", .before = misbehave};
