// SPDX-License-Identifier: Apache-2.0
// Computes otherwise after it has refused a call.

#include "harness/tests/zoo/zoo.h"

static enum assay_status run(const struct assay_request *request, struct assay_message *message)
{
    const enum assay_status status = zoo_compute(request, message);
    static int refused;
    const struct assay_tensor *const output = zoo_output(request);
    if (status == ASSAY_OK && refused && assay_element_count(output))
        zoo_store(output, 0, zoo_load(output, 0) ^ 1);
    refused = refused || status == ASSAY_REJECTED;
    return status;
}

static const struct zoo_plugin zoo_plugin = {.name = "after_refusal", .run = run};
