// SPDX-License-Identifier: Apache-2.0
// Fails with a message that does not end, and runs on over what lies behind it.

#include "harness/zoo/zoo.h"

static enum assay_status zoo_run(struct assay_instance *instance,
                                 const struct assay_request *request, struct assay_message *message)
{
    (void)instance;
    (void)request;
    memset(message->text, 'x', sizeof message->text);
    return ASSAY_FAILED;
}

const struct assay_plugin *assay_plugin_entry(void)
{
    static const struct assay_plugin plugin = ZOO_PLUGIN("long_message", 0);
    return &plugin;
}
