// SPDX-License-Identifier: Apache-2.0
// Behaves well: works in a dense copy of its own and copies out at the end.

#include <stdlib.h>

#include "harness/tests/zoo/zoo.h"

static enum assay_status run(const struct assay_request *request, struct assay_message *message)
{
    const enum assay_status status = zoo_compute(request, message);
    const struct assay_tensor *const output = zoo_output(request);
    if (status != ASSAY_OK)
        return status;
    const size_t size = (size_t)assay_element_count(output) * output->layout.dtype.bits / 8;
    void *const scratch = malloc(size + 1);
    if (!scratch)
        return ASSAY_FAILED;
    memcpy(scratch, output->layout.data, size);
    memcpy(output->layout.data, scratch, size);
    free(scratch);
    return status;
}

static const struct zoo_plugin zoo_plugin = {.name = "good_scratch", .run = run};
