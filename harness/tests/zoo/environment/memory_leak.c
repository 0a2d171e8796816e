// SPDX-License-Identifier: Apache-2.0
// Loses a quarter of a megabyte at each call.

#include <stdlib.h>

#include "harness/tests/zoo/zoo.h"

static char *volatile kept;

static bool misbehave(void)
{
    char *const lost = malloc(1 << 18);
    if (!lost)
        return false;
    memset(lost, 1, 1 << 18);
    *(char *volatile *)&kept = lost;
    return true;
}

static const struct zoo_plugin zoo_plugin = {.name = "memory_leak", .before = misbehave};
