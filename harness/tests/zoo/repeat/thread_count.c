// SPDX-License-Identifier: Apache-2.0
// Depends on how many threads it may use.

#include "harness/tests/zoo/zoo.h"

static enum assay_status run(const struct assay_request *request, struct assay_message *message)
{
    const struct assay_tensor *const output = zoo_output(request);
    const enum assay_status status = zoo_compute(request, message);
    if (status == ASSAY_OK && assay_element_count(output) && request->threads == 3)
        zoo_store(output, 0, zoo_load(output, 0) + 1);
    return status;
}

static const struct zoo_plugin zoo_plugin = {
    .name = "thread_count", .capabilities = ASSAY_CAPABILITY_THREADS, .run = run};
