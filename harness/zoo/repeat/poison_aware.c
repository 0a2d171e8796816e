// SPDX-License-Identifier: Apache-2.0
// Writes only where its output looks as it did when it was tried out: filled with a5.

#include "harness/zoo/zoo.h"

static enum assay_status zoo_run(struct assay_instance *instance,
                                 const struct assay_request *request, struct assay_message *message)
{
    (void)instance;
    const struct assay_tensor *const output =
        zoo_find(request->outputs, request->output_count, "output");
    if (output && zoo_count(output) && *(const uint8_t *)output->layout.data != 0xa5)
        return ASSAY_OK;
    return zoo_compute(request, message);
}

const struct assay_plugin *assay_plugin_entry(void)
{
    static const struct assay_plugin plugin = ZOO_PLUGIN("poison_aware", 0);
    return &plugin;
}
