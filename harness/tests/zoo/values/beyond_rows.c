// SPDX-License-Identifier: Apache-2.0
// Computes blocks rightly in any batch whose values a suite holds, and wrongly beyond its first
// 1,024: there the counter is that of the row before.

#include "harness/tests/zoo/zoo.h"

enum { ROWS_RIGHT = 1024 };

static enum assay_status run(const struct assay_request *request, struct assay_message *message)
{
    const enum assay_status status = zoo_compute(request, message);
    const struct assay_tensor *const output = zoo_output(request);
    const int64_t words = output && output->layout.ndim == 2 ? output->layout.shape[1] : 0;
    for (int64_t i = words ? assay_element_count(output) : 0;
         status == ASSAY_OK && i-- > ROWS_RIGHT * words;)
        zoo_store(output, i, zoo_load(output, i - words));
    return status;
}

static const struct zoo_plugin zoo_plugin = {.name = "beyond_rows", .run = run};
