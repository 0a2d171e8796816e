// SPDX-License-Identifier: Apache-2.0
// Refuses everything.

#include "harness/zoo/zoo.h"

static enum assay_status zoo_run(struct assay_instance *instance,
                                 const struct assay_request *request, struct assay_message *message)
{
    (void)instance;
    (void)request;
    snprintf(message->text, sizeof message->text, "no");
    return ASSAY_REJECTED;
}

const struct assay_plugin *assay_plugin_entry(void)
{
    static const struct assay_plugin plugin = ZOO_PLUGIN("rejects_all", 0);
    return &plugin;
}
