// SPDX-License-Identifier: Apache-2.0
// Declares two ways to hand over inputs and names one.

#include "harness/tests/zoo/zoo.h"

static const char *const two[2] = {"parameter", NULL};

static void alter(struct assay_plugin *plugin)
{
    plugin->feed_count = 2;
    plugin->feeds = two;
}

static const struct zoo_plugin zoo_plugin = {.name = "abi_feeds", .alter = alter};
