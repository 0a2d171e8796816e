// SPDX-License-Identifier: Apache-2.0
// Computes otherwise after it has refused a call.

#include "harness/zoo/zoo.h"

static enum assay_status zoo_run(struct assay_instance *instance,
                                 const struct assay_request *request, struct assay_message *message)
{
    (void)instance;
    const enum assay_status status = zoo_compute(request, message);
    static int refused;
    const struct assay_tensor *const output =
        zoo_find(request->outputs, request->output_count, "output");
    if (status == ASSAY_OK && refused && zoo_count(output))
        zoo_store(output, 0, zoo_load(output, 0) ^ 1);
    refused = refused || status == ASSAY_REJECTED;
    return status;
}

const struct assay_plugin *assay_plugin_entry(void)
{
    static const struct assay_plugin plugin = ZOO_PLUGIN("after_refusal", 0);
    return &plugin;
}
