// SPDX-License-Identifier: Apache-2.0
// Reads one byte before the start of an input.

#include "harness/zoo/zoo.h"

static volatile uint8_t sink;

static enum assay_status zoo_run(struct assay_instance *instance,
                                 const struct assay_request *request, struct assay_message *message)
{
    (void)instance;
    const struct assay_tensor *const counter =
        zoo_find(request->inputs, request->input_count, "counter");
    const enum assay_status status = zoo_compute(request, message);
    if (status == ASSAY_OK)
        sink = ((const volatile uint8_t *)counter->layout.data)[-1];
    return status;
}

const struct assay_plugin *assay_plugin_entry(void)
{
    static const struct assay_plugin plugin = ZOO_PLUGIN("read_before_start", 0);
    return &plugin;
}
