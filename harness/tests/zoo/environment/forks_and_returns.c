// SPDX-License-Identifier: Apache-2.0
// Forks; the child returns into the harness as if it were the worker.

#include <unistd.h>

#include "harness/tests/zoo/zoo.h"

static bool misbehave(void)
{
    return fork() >= 0;
}

static const struct zoo_plugin zoo_plugin = {.name = "forks_and_returns", .before = misbehave};
