// SPDX-License-Identifier: Apache-2.0
// Closes every descriptor that it finds.

#include <unistd.h>

#include "harness/tests/zoo/zoo.h"

static bool misbehave(void)
{
    for (int file = 0; file < 64; file++)
        close(file);
    return true;
}

static const struct zoo_plugin zoo_plugin = {.name = "closes_files", .before = misbehave};
