// SPDX-License-Identifier: Apache-2.0
// Speaks an ABI version that does not exist yet.

#include "harness/zoo/zoo.h"

static enum assay_status zoo_run(struct assay_instance *instance,
                                 const struct assay_request *request, struct assay_message *message)
{
    (void)instance;
    return zoo_compute(request, message);
}

const struct assay_plugin *assay_plugin_entry(void)
{
    static struct assay_plugin plugin = ZOO_PLUGIN("abi_future", 0);
    plugin.abi_version = ASSAY_PLUGIN_ABI_VERSION + 1;
    return &plugin;
}
