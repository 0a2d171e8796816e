// SPDX-License-Identifier: Apache-2.0
// Says that it supports a case and says at the run that it does not.

#include "harness/zoo/zoo.h"

static enum assay_status zoo_run(struct assay_instance *instance,
                                 const struct assay_request *request, struct assay_message *message)
{
    (void)instance;
    (void)request;
    snprintf(message->text, sizeof message->text, "not after all");
    return ASSAY_UNSUPPORTED;
}

const struct assay_plugin *assay_plugin_entry(void)
{
    static const struct assay_plugin plugin = ZOO_PLUGIN("support_lie", 0);
    return &plugin;
}
