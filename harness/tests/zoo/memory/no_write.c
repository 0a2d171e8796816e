// SPDX-License-Identifier: Apache-2.0
// Returns success without writing.

#include "harness/tests/zoo/zoo.h"

static enum assay_status run(const struct assay_request *request, struct assay_message *message)
{
    (void)request;
    (void)message;
    return ASSAY_OK;
}

static const struct zoo_plugin zoo_plugin = {.name = "no_write", .run = run};
