// SPDX-License-Identifier: Apache-2.0
// Declares two ways to hand over inputs and names one.

#include "harness/zoo/zoo.h"

static const char *const two[2] = {"parameter", NULL};

static enum assay_status zoo_run(struct assay_instance *instance,
                                 const struct assay_request *request, struct assay_message *message)
{
    (void)instance;
    return zoo_compute(request, message);
}

const struct assay_plugin *assay_plugin_entry(void)
{
    static struct assay_plugin plugin = ZOO_PLUGIN("abi_feeds", 0);
    plugin.feed_count = 2;
    plugin.feeds = two;
    return &plugin;
}
