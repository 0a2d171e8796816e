// SPDX-License-Identifier: Apache-2.0
// Computes otherwise with four threads and more.

#include "harness/tests/zoo/zoo.h"

static enum assay_status run(const struct assay_request *request, struct assay_message *message)
{
    enum { FEW = 3 };
    const struct assay_tensor *const output = zoo_output(request);
    const enum assay_status status = zoo_compute(request, message);
    if (status == ASSAY_OK && assay_element_count(output) && request->threads > FEW)
        zoo_store(output, 0, zoo_load(output, 0) + 1);
    return status;
}

static const struct zoo_plugin zoo_plugin = {
    .name = "four_threads", .capabilities = ASSAY_CAPABILITY_THREADS, .run = run};
