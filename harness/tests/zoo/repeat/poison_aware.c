// SPDX-License-Identifier: Apache-2.0
// Writes only where its output looks as it did when it was tried out: filled with a5.

#include "harness/tests/zoo/zoo.h"

static enum assay_status run(const struct assay_request *request, struct assay_message *message)
{
    const struct assay_tensor *const output = zoo_output(request);
    if (output && assay_element_count(output) && *(const uint8_t *)output->layout.data != 0xa5)
        return ASSAY_OK;
    return zoo_compute(request, message);
}

static const struct zoo_plugin zoo_plugin = {.name = "poison_aware", .run = run};
