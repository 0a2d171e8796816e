// SPDX-License-Identifier: Apache-2.0
// Forks; the child stays.

#include <unistd.h>

#include "harness/tests/zoo/zoo.h"

static bool misbehave(void)
{
    if (fork() == 0)
        for (;;)
            pause();
    return true;
}

static const struct zoo_plugin zoo_plugin = {.name = "forks", .before = misbehave};
