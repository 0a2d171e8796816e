// SPDX-License-Identifier: Apache-2.0
// Writes to an input.

#include "harness/tests/zoo/zoo.h"

static enum assay_status run(const struct assay_request *request, struct assay_message *message)
{
    const struct assay_tensor *const counter = zoo_counter(request);
    const enum assay_status status = zoo_compute(request, message);
    if (status == ASSAY_OK && assay_element_count(counter))
        ((volatile uint8_t *)counter->layout.data)[0] = 0;
    return status;
}

static const struct zoo_plugin zoo_plugin = {.name = "write_input", .run = run};
