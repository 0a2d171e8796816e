// SPDX-License-Identifier: Apache-2.0
// Has a name that no report can print: it does not end within a page.

#include "harness/tests/zoo/zoo.h"

static char endless[1 << 16];

static void alter(struct assay_plugin *plugin)
{
    memset(endless, 7, sizeof endless - 1);
    plugin->name = endless;
}

static const struct zoo_plugin zoo_plugin = {.name = "abi_name", .alter = alter};
