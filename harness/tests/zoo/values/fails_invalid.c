// SPDX-License-Identifier: Apache-2.0
// Does not tell an invalid request from one that memory does not suffice for.

#include "harness/tests/zoo/zoo.h"

static enum assay_status run(const struct assay_request *request, struct assay_message *message)
{
    if (zoo_compute(request, message) == ASSAY_OK)
        return ASSAY_OK;
    snprintf(message->text, sizeof message->text, "out of memory");
    return ASSAY_FAILED;
}

static const struct zoo_plugin zoo_plugin = {.name = "fails_invalid", .run = run};
