// SPDX-License-Identifier: Apache-2.0
// Behaves well: asks at each call that freed memory be given back, as some libraries do with each
// instance. A worker keeps it, or every page would be faulted in again.

#define _GNU_SOURCE
#include "harness/tests/zoo/hole.h"
#include "harness/tests/zoo/zoo.h"

static enum assay_status run(const struct assay_request *request, struct assay_message *message)
{
    int gave;
    if (!hole_stays(&gave))
        return assay_answer(message, ASSAY_FAILED, "malloc_trim took freed memory away");
    return zoo_compute(request, message);
}

static const struct zoo_plugin zoo_plugin = {.name = "trims", .run = run};
