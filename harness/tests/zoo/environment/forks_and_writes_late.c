// SPDX-License-Identifier: Apache-2.0
// Forks; the child writes its output when other calls are under way.

#include <unistd.h>

#include "harness/tests/zoo/zoo.h"

enum { LATE_US = 3000 };

static bool misbehave(void)
{
    const pid_t child = fork();
    if (!child)
        usleep(LATE_US);
    return child >= 0;
}

static const struct zoo_plugin zoo_plugin = {.name = "forks_and_writes_late", .before = misbehave};
