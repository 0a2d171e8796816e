// SPDX-License-Identifier: Apache-2.0
// Computes every hundredth call otherwise.

#include "harness/zoo/zoo.h"

static enum assay_status zoo_run(struct assay_instance *instance,
                                 const struct assay_request *request, struct assay_message *message)
{
    (void)instance;
    const enum assay_status status = zoo_compute(request, message);
    const struct assay_tensor *const output =
        zoo_find(request->outputs, request->output_count, "output");
    static int calls;
    if (status == ASSAY_OK && ++calls % 100 == 0 && zoo_count(output))
        zoo_store(output, 0, zoo_load(output, 0) ^ 1);
    return status;
}

const struct assay_plugin *assay_plugin_entry(void)
{
    static const struct assay_plugin plugin = ZOO_PLUGIN("hundredth", 0);
    return &plugin;
}
