// SPDX-License-Identifier: Apache-2.0
// Computes otherwise where its output lies below its counter.

#include "harness/tests/zoo/zoo.h"

static enum assay_status run(const struct assay_request *request, struct assay_message *message)
{
    const enum assay_status status = zoo_compute(request, message);
    const struct assay_tensor *const output = zoo_output(request);
    if (status == ASSAY_OK && assay_element_count(output) &&
        (uintptr_t)output->layout.data < (uintptr_t)zoo_counter(request)->layout.data)
        zoo_store(output, 0, zoo_load(output, 0) ^ 1);
    return status;
}

static const struct zoo_plugin zoo_plugin = {.name = "output_below", .run = run};
