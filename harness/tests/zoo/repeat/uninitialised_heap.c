// SPDX-License-Identifier: Apache-2.0
// Uses what fresh memory of the heap holds, as a sum that nobody set to zero does.

#include <stdlib.h>

#include "harness/tests/zoo/zoo.h"

enum { WORDS = 1 << 18 };

static enum assay_status run(const struct assay_request *request, struct assay_message *message)
{
    const struct assay_tensor *const output = zoo_output(request);
    const enum assay_status status = zoo_compute(request, message);
    uint32_t *volatile sum = malloc(WORDS * sizeof *sum);
    if (status == ASSAY_OK && sum && assay_element_count(output))
        zoo_store(output, 0, zoo_load(output, 0) ^ (sum[WORDS / 2] & 1));
    free(sum);
    return status;
}

static const struct zoo_plugin zoo_plugin = {.name = "uninitialised_heap", .run = run};
