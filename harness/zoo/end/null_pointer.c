// SPDX-License-Identifier: Apache-2.0
// Follows a null pointer.

#include "harness/zoo/zoo.h"

static volatile int *volatile nowhere;

static enum assay_status zoo_run(struct assay_instance *instance,
                                 const struct assay_request *request, struct assay_message *message)
{
    (void)instance;
    (void)request;
    (void)message;
    *nowhere = 1;
    return ASSAY_OK;
}

const struct assay_plugin *assay_plugin_entry(void)
{
    static const struct assay_plugin plugin = ZOO_PLUGIN("null_pointer", 0);
    return &plugin;
}
