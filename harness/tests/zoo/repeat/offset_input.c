// SPDX-License-Identifier: Apache-2.0
// Computes otherwise where its counter lies 60 bytes behind a multiple of 64.

#include "harness/tests/zoo/zoo.h"

static enum assay_status run(const struct assay_request *request, struct assay_message *message)
{
    const enum assay_status status = zoo_compute(request, message);
    const struct assay_tensor *const output = zoo_output(request);
    if (status == ASSAY_OK && assay_element_count(output) &&
        (uintptr_t)zoo_counter(request)->layout.data % 64 == 60)
        zoo_store(output, 0, zoo_load(output, 0) ^ 1);
    return status;
}

static const struct zoo_plugin zoo_plugin = {.name = "offset_input", .run = run};
