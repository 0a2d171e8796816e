// SPDX-License-Identifier: Apache-2.0
// Returns a status that does not exist.

#include "harness/zoo/zoo.h"

static enum assay_status zoo_run(struct assay_instance *instance,
                                 const struct assay_request *request, struct assay_message *message)
{
    (void)instance;
    (void)request;
    (void)message;
    return (enum assay_status)77;
}

const struct assay_plugin *assay_plugin_entry(void)
{
    static const struct assay_plugin plugin = ZOO_PLUGIN("unknown_status", 0);
    return &plugin;
}
