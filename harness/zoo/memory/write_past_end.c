// SPDX-License-Identifier: Apache-2.0
// Writes one element past the end of its output.

#include "harness/zoo/zoo.h"

static enum assay_status zoo_run(struct assay_instance *instance,
                                 const struct assay_request *request, struct assay_message *message)
{
    (void)instance;
    const struct assay_tensor *const output =
        zoo_find(request->outputs, request->output_count, "output");
    const enum assay_status status = zoo_compute(request, message);
    if (status == ASSAY_OK)
        ((volatile uint8_t *)
             output->layout.data)[zoo_count(output) * output->layout.dtype.bits / 8] = 0;
    return status;
}

const struct assay_plugin *assay_plugin_entry(void)
{
    static const struct assay_plugin plugin = ZOO_PLUGIN("write_past_end", 0);
    return &plugin;
}
