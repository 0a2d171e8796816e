// SPDX-License-Identifier: Apache-2.0
// Returns a status that does not exist.

#include "harness/tests/zoo/zoo.h"

static enum assay_status run(const struct assay_request *request, struct assay_message *message)
{
    (void)request;
    (void)message;
    return (enum assay_status)77;
}

static const struct zoo_plugin zoo_plugin = {.name = "unknown_status", .run = run};
