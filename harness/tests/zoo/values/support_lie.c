// SPDX-License-Identifier: Apache-2.0
// Says that it supports a case and says at the run that it does not.

#include "harness/tests/zoo/zoo.h"

static enum assay_status run(const struct assay_request *request, struct assay_message *message)
{
    (void)request;
    snprintf(message->text, sizeof message->text, "not after all");
    return ASSAY_UNSUPPORTED;
}

static const struct zoo_plugin zoo_plugin = {.name = "support_lie", .run = run};
