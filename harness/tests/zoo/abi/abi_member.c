// SPDX-License-Identifier: Apache-2.0
// Has no function that runs anything.

#include "harness/tests/zoo/zoo.h"

static void alter(struct assay_plugin *plugin)
{
    plugin->run = NULL;
}

static const struct zoo_plugin zoo_plugin = {.name = "abi_member", .alter = alter};
