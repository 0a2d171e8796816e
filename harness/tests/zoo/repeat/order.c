// SPDX-License-Identifier: Apache-2.0
// Depends on how many calls came before.

#include "harness/tests/zoo/zoo.h"

static uint64_t calls;

static void spoil(const struct assay_tensor *output)
{
    zoo_store(output, 0, zoo_load(output, 0) + calls++ % 2);
}

static const struct zoo_plugin zoo_plugin = {.name = "order", .after = spoil};
