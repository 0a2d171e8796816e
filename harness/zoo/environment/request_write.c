// SPDX-License-Identifier: Apache-2.0
// Writes to the request itself: claims that its output has no elements.

#include "harness/zoo/zoo.h"

static enum assay_status zoo_run(struct assay_instance *instance,
                                 const struct assay_request *request, struct assay_message *message)
{
    (void)instance;
    const enum assay_status status = zoo_compute(request, message);
    const struct assay_tensor *const output =
        zoo_find(request->outputs, request->output_count, "output");
    if (status == ASSAY_OK && output->layout.ndim)
        output->layout.shape[0] = 0;
    return status;
}

const struct assay_plugin *assay_plugin_entry(void)
{
    static const struct assay_plugin plugin = ZOO_PLUGIN("request_write", 0);
    return &plugin;
}
