// SPDX-License-Identifier: Apache-2.0
// Checks nothing: it refuses what asks for no outputs, and computes something of all else.

#include "harness/tests/zoo/zoo.h"

static enum assay_status run(const struct assay_request *request, struct assay_message *message)
{
    const struct assay_tensor *const output = zoo_output(request);
    struct assay_message unused;
    if (!request->output_count) {
        snprintf(message->text, sizeof message->text, "out of memory");
        return ASSAY_REJECTED;
    }
    if (zoo_compute(request, &unused) != ASSAY_OK && output)
        memset(output->layout.data, 0,
               (size_t)assay_element_count(output) * output->layout.dtype.bits / 8);
    return ASSAY_OK;
}

static const struct zoo_plugin zoo_plugin = {.name = "refuses_announced", .run = run};
