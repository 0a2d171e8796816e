// SPDX-License-Identifier: Apache-2.0
// Closes standard error and opens another file in its place.

#include <fcntl.h>
#include <unistd.h>

#include "harness/tests/zoo/zoo.h"

static bool misbehave(void)
{
    close(2);
    if (open("/dev/null", O_WRONLY) < 0)
        return false;
    return true;
}

static const struct zoo_plugin zoo_plugin = {.name = "replaces_file", .before = misbehave};
