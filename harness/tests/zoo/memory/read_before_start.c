// SPDX-License-Identifier: Apache-2.0
// Reads one byte before the start of an input.

#include "harness/tests/zoo/zoo.h"

static volatile uint8_t sink;

static enum assay_status run(const struct assay_request *request, struct assay_message *message)
{
    const struct assay_tensor *const counter = zoo_counter(request);
    const enum assay_status status = zoo_compute(request, message);
    if (status == ASSAY_OK)
        sink = ((const volatile uint8_t *)counter->layout.data)[-1];
    return status;
}

static const struct zoo_plugin zoo_plugin = {.name = "read_before_start", .run = run};
