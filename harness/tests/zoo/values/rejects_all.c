// SPDX-License-Identifier: Apache-2.0
// Refuses everything.

#include "harness/tests/zoo/zoo.h"

static enum assay_status run(const struct assay_request *request, struct assay_message *message)
{
    (void)request;
    snprintf(message->text, sizeof message->text, "no");
    return ASSAY_REJECTED;
}

static const struct zoo_plugin zoo_plugin = {.name = "rejects_all", .run = run};
