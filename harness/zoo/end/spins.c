// SPDX-License-Identifier: Apache-2.0
// Computes for ever.

#include "harness/zoo/zoo.h"

static volatile uint64_t turns;

static enum assay_status zoo_run(struct assay_instance *instance,
                                 const struct assay_request *request, struct assay_message *message)
{
    (void)instance;
    (void)request;
    (void)message;
    for (;;)
        turns++;
    return ASSAY_FAILED;
}

const struct assay_plugin *assay_plugin_entry(void)
{
    static const struct assay_plugin plugin = ZOO_PLUGIN("spins", 0);
    return &plugin;
}
