// SPDX-License-Identifier: Apache-2.0
// Opens a file at each call and never closes it.

#include <fcntl.h>

#include "harness/tests/zoo/zoo.h"

static bool misbehave(void)
{
    return open("/dev/null", O_RDONLY) >= 0;
}

static const struct zoo_plugin zoo_plugin = {.name = "file_leak", .before = misbehave};
