// SPDX-License-Identifier: Apache-2.0
// Speaks an ABI version that does not exist yet.

#include "harness/tests/zoo/zoo.h"

static void alter(struct assay_plugin *plugin)
{
    plugin->abi_version = ASSAY_PLUGIN_ABI_VERSION + 1;
}

static const struct zoo_plugin zoo_plugin = {.name = "abi_future", .alter = alter};
