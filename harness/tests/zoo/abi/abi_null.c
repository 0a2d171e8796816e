// SPDX-License-Identifier: Apache-2.0
// Leaves a member of its struct empty.

#include "harness/tests/zoo/zoo.h"

static void alter(struct assay_plugin *plugin)
{
    plugin->prepare = NULL;
}

static const struct zoo_plugin zoo_plugin = {.name = "abi_null", .alter = alter};
