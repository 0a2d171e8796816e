// SPDX-License-Identifier: Apache-2.0
// Behaves well: strides, any number of threads, several at once.

#include "harness/zoo/zoo.h"

static enum assay_status zoo_run(struct assay_instance *instance,
                                 const struct assay_request *request, struct assay_message *message)
{
    (void)instance;
    return zoo_compute(request, message);
}

const struct assay_plugin *assay_plugin_entry(void)
{
    static const struct assay_plugin plugin = ZOO_PLUGIN(
        "good", ASSAY_CAPABILITY_STRIDED | ASSAY_CAPABILITY_THREADS | ASSAY_CAPABILITY_REENTRANT);
    return &plugin;
}
