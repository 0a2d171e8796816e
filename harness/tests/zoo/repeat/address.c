// SPDX-License-Identifier: Apache-2.0
// Depends on the address of its output.

#include "harness/tests/zoo/zoo.h"

static void spoil(const struct assay_tensor *output)
{
    zoo_store(output, 0, zoo_load(output, 0) ^ (uint64_t)((uintptr_t)output->layout.data >> 4));
}

static const struct zoo_plugin zoo_plugin = {.name = "address", .after = spoil};
