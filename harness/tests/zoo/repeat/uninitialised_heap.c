// SPDX-License-Identifier: Apache-2.0
// Uses what fresh memory of the heap holds, in a small block and in a large one, as sums that
// nobody set to zero do.

#include <stdlib.h>

#include "harness/tests/zoo/zoo.h"

enum { FEW = 16, MANY = 1 << 18 };

static enum assay_status run(const struct assay_request *request, struct assay_message *message)
{
    const struct assay_tensor *const output = zoo_output(request);
    const enum assay_status status = zoo_compute(request, message);
    uint32_t *volatile small = malloc(FEW * sizeof *small);
    uint32_t *volatile large = malloc(MANY * sizeof *large);
    if (status == ASSAY_OK && small && large && assay_element_count(output))
        zoo_store(output, 0, zoo_load(output, 0) ^ (small[FEW / 2] & large[MANY / 2] & 1));
    free(small);
    free(large);
    return status;
}

static const struct zoo_plugin zoo_plugin = {.name = "uninitialised_heap", .run = run};
