// SPDX-License-Identifier: Apache-2.0
// Lowers a limit of the process.

#include <sys/resource.h>

#include "harness/tests/zoo/zoo.h"

static bool misbehave(void)
{
    struct rlimit limit;
    if (!getrlimit(RLIMIT_NOFILE, &limit)) {
        limit.rlim_cur = 64;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
    return true;
}

static const struct zoo_plugin zoo_plugin = {.name = "limits", .before = misbehave};
