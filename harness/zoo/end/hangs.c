// SPDX-License-Identifier: Apache-2.0
// Waits for ever.

#include <unistd.h>

#include "harness/zoo/zoo.h"

static enum assay_status zoo_run(struct assay_instance *instance,
                                 const struct assay_request *request, struct assay_message *message)
{
    (void)instance;
    (void)request;
    (void)message;
    for (;;)
        pause();
    return ASSAY_FAILED;
}

const struct assay_plugin *assay_plugin_entry(void)
{
    static const struct assay_plugin plugin = ZOO_PLUGIN("hangs", 0);
    return &plugin;
}
