// SPDX-License-Identifier: Apache-2.0
// Computes every hundredth call otherwise.

#include "harness/tests/zoo/zoo.h"

static enum assay_status run(const struct assay_request *request, struct assay_message *message)
{
    const enum assay_status status = zoo_compute(request, message);
    const struct assay_tensor *const output = zoo_output(request);
    static int calls;
    if (status == ASSAY_OK && ++calls % 100 == 0 && assay_element_count(output))
        zoo_store(output, 0, zoo_load(output, 0) ^ 1);
    return status;
}

static const struct zoo_plugin zoo_plugin = {.name = "hundredth", .run = run};
