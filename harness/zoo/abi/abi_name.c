// SPDX-License-Identifier: Apache-2.0
// Has a name that no report can print: it does not end within a page.

#include "harness/zoo/zoo.h"

static char endless[1 << 16];

static enum assay_status zoo_run(struct assay_instance *instance,
                                 const struct assay_request *request, struct assay_message *message)
{
    (void)instance;
    return zoo_compute(request, message);
}

const struct assay_plugin *assay_plugin_entry(void)
{
    static struct assay_plugin plugin = ZOO_PLUGIN("abi_name", 0);
    memset(endless, 7, sizeof endless - 1);
    plugin.name = endless;
    return &plugin;
}
