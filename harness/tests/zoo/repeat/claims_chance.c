// SPDX-License-Identifier: Apache-2.0
// Says that equal calls may differ, where one answer is right; every second call gives another.

#include "harness/tests/zoo/zoo.h"

static enum assay_status run(const struct assay_request *request, struct assay_message *message)
{
    static unsigned calls;
    const enum assay_status status = zoo_compute(request, message);
    const struct assay_tensor *const output = zoo_output(request);
    if (status == ASSAY_OK && assay_element_count(output) && calls++ % 2)
        zoo_store(output, 0, ~zoo_load(output, 0));
    return status;
}

static const struct zoo_plugin zoo_plugin = {
    .name = "claims_chance", .capabilities = ASSAY_CAPABILITY_NONDETERMINISTIC, .run = run};
