// SPDX-License-Identifier: Apache-2.0
// Fails with a message that does not end, and runs on over what lies behind it.

#include "harness/tests/zoo/zoo.h"

static enum assay_status run(const struct assay_request *request, struct assay_message *message)
{
    (void)request;
    memset(message->text, 'x', sizeof message->text);
    return ASSAY_FAILED;
}

static const struct zoo_plugin zoo_plugin = {.name = "long_message", .run = run};
