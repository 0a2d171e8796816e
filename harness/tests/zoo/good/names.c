// SPDX-License-Identifier: Apache-2.0
// Behaves well, with a function of its own that has the name of one of the harness's: each must
// call its own.

#include "harness/tests/zoo/zoo.h"

enum assay_status slot_shut(const struct assay_request *request, struct assay_message *message);

enum assay_status slot_shut(const struct assay_request *request, struct assay_message *message)
{
    return zoo_compute(request, message);
}

static enum assay_status run(const struct assay_request *request, struct assay_message *message)
{
    return slot_shut(request, message);
}

static const struct zoo_plugin zoo_plugin = {.name = "names",
                                             .capabilities = ASSAY_CAPABILITY_STRIDED |
                                                             ASSAY_CAPABILITY_THREADS,
                                             .run = run};
