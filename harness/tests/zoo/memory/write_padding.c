// SPDX-License-Identifier: Apache-2.0
// Writes its result as if rows stood close together, and so between the rows of a padded output as
// well.

#include "harness/tests/zoo/zoo.h"

static enum assay_status run(const struct assay_request *request, struct assay_message *message)
{
    const struct assay_tensor *const output = zoo_output(request);
    const enum assay_status status = zoo_compute(request, message);
    if (status == ASSAY_OK && output->layout.strides && output->layout.ndim > 1 &&
        assay_element_count(output))
        for (int32_t d = 0; d + 1 < output->layout.ndim; d++)
            if (output->layout.shape[d] > 1)
                ((uint8_t *)output->layout.data)[output->layout.shape[output->layout.ndim - 1] *
                                                 (output->layout.dtype.bits / 8)] = 0;
    return status;
}

static const struct zoo_plugin zoo_plugin = {
    .name = "write_padding", .capabilities = ASSAY_CAPABILITY_STRIDED, .run = run};
