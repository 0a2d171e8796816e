// SPDX-License-Identifier: Apache-2.0
// Writes garbage to every descriptor that it finds.

#include <unistd.h>

#include "harness/tests/zoo/zoo.h"

static bool misbehave(void)
{
    for (int file = 1; file < 16; file++)
        if (write(file, "garbage garbage garbage garbage ", 32) < 0)
            continue;
    return true;
}

static const struct zoo_plugin zoo_plugin = {.name = "garbage", .before = misbehave};
