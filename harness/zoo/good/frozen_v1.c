// SPDX-License-Identifier: Apache-2.0
// Behaves well, and was built against the first version of the ABI: the frozen header stands in for
// the present one.

#include "harness/zoo/plugin_v1.h" // first: it has the same guard

#include "harness/zoo/zoo.h"

static enum assay_status zoo_run(struct assay_instance *instance,
                                 const struct assay_request *request, struct assay_message *message)
{
    (void)instance;
    return zoo_compute(request, message);
}

const struct assay_plugin *assay_plugin_entry(void)
{
    static const struct assay_plugin plugin =
        ZOO_PLUGIN("frozen_v1", ASSAY_CAPABILITY_STRIDED | ASSAY_CAPABILITY_THREADS);
    return &plugin;
}
