// SPDX-License-Identifier: Apache-2.0
// Computes otherwise only with two threads, where its output lies at the end of a page and holds
// 5a.

#include "harness/tests/zoo/zoo.h"

static enum assay_status run(const struct assay_request *request, struct assay_message *message)
{
    const struct assay_tensor *const output = zoo_output(request);
    const uint8_t held =
        output && assay_element_count(output) ? *(const uint8_t *)output->layout.data : 0;
    const enum assay_status status = zoo_compute(request, message);
    if (status != ASSAY_OK || !assay_element_count(output))
        return status;
    const uintptr_t end = (uintptr_t)output->layout.data +
                          (uintptr_t)assay_element_count(output) * (output->layout.dtype.bits / 8);
    if (request->threads == 2 && end % 4096 == 0 && held == 0x5a)
        zoo_store(output, 0, zoo_load(output, 0) ^ 1);
    return status;
}

static const struct zoo_plugin zoo_plugin = {
    .name = "three_conditions", .capabilities = ASSAY_CAPABILITY_THREADS, .run = run};
