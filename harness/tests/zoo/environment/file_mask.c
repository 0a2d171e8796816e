// SPDX-License-Identifier: Apache-2.0
// Changes the mode of files to come.

#include <sys/stat.h>

#include "harness/tests/zoo/zoo.h"

static bool misbehave(void)
{
    umask(0);
    return true;
}

static const struct zoo_plugin zoo_plugin = {.name = "file_mask", .before = misbehave};
