// SPDX-License-Identifier: Apache-2.0
// Computes for ever.

#include "harness/tests/zoo/zoo.h"

static volatile uint64_t turns;

static bool misbehave(void)
{
    for (;;)
        turns++;
    return true;
}

static const struct zoo_plugin zoo_plugin = {.name = "spins", .before = misbehave};
