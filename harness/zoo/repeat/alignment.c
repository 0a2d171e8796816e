// SPDX-License-Identifier: Apache-2.0
// Computes otherwise where its output lies at a multiple of 64.

#include "harness/zoo/zoo.h"

static enum assay_status zoo_run(struct assay_instance *instance,
                                 const struct assay_request *request, struct assay_message *message)
{
    (void)instance;
    const struct assay_tensor *const output =
        zoo_find(request->outputs, request->output_count, "output");
    const enum assay_status status = zoo_compute(request, message);
    if (status == ASSAY_OK && zoo_count(output) && (uintptr_t)output->layout.data % 64 == 0)
        zoo_store(output, 0, zoo_load(output, 0) ^ 1);
    return status;
}

const struct assay_plugin *assay_plugin_entry(void)
{
    static const struct assay_plugin plugin = ZOO_PLUGIN("alignment", 0);
    return &plugin;
}
