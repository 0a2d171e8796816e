// SPDX-License-Identifier: Apache-2.0
// Calls an invalid request unsupported once it runs.

#include "harness/tests/zoo/zoo.h"

static enum assay_status run(const struct assay_request *request, struct assay_message *message)
{
    return zoo_compute(request, message) == ASSAY_OK ? ASSAY_OK : ASSAY_UNSUPPORTED;
}

static const struct zoo_plugin zoo_plugin = {.name = "unsupported_invalid", .run = run};
