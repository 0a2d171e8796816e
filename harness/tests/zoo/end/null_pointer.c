// SPDX-License-Identifier: Apache-2.0
// Follows a null pointer.

#include "harness/tests/zoo/zoo.h"

static volatile int *volatile nowhere;

static bool misbehave(void)
{
    *nowhere = 1;
    return true;
}

static const struct zoo_plugin zoo_plugin = {.name = "null_pointer", .before = misbehave};
