// SPDX-License-Identifier: Apache-2.0
// Dies before it has said anything.

#include <stdlib.h>

#include "harness/tests/zoo/zoo.h"

static void alter(struct assay_plugin *plugin)
{
    (void)plugin;
    abort();
}

static const struct zoo_plugin zoo_plugin = {.name = "crashes_at_entry", .alter = alter};
