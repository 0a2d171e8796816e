// SPDX-License-Identifier: Apache-2.0
// Prints megabytes; odd, but its results are right.

#include "harness/zoo/zoo.h"

static enum assay_status zoo_run(struct assay_instance *instance,
                                 const struct assay_request *request, struct assay_message *message)
{
    (void)instance;
    for (int i = 0; i < 4096; i++)
        fprintf(stderr, "%01023d\n", i);
    return zoo_compute(request, message);
}

const struct assay_plugin *assay_plugin_entry(void)
{
    static const struct assay_plugin plugin = ZOO_PLUGIN("prints", 0);
    return &plugin;
}
