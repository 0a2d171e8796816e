// SPDX-License-Identifier: Apache-2.0
// Sends itself a signal.

#include <signal.h>

#include "harness/zoo/zoo.h"

static enum assay_status zoo_run(struct assay_instance *instance,
                                 const struct assay_request *request, struct assay_message *message)
{
    (void)instance;
    (void)request;
    (void)message;
    raise(SIGTERM);
    return ASSAY_OK;
}

const struct assay_plugin *assay_plugin_entry(void)
{
    static const struct assay_plugin plugin = ZOO_PLUGIN("throws_signal", 0);
    return &plugin;
}
