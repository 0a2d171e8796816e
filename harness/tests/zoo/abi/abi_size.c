// SPDX-License-Identifier: Apache-2.0
// States a size that its struct does not have.

#include "harness/tests/zoo/zoo.h"

static void alter(struct assay_plugin *plugin)
{
    plugin->size = 16;
}

static const struct zoo_plugin zoo_plugin = {.name = "abi_size", .alter = alter};
