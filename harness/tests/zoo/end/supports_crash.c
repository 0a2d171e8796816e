// SPDX-License-Identifier: Apache-2.0
// Dies when it is asked whether it supports something.

#include <stdlib.h>

#include "harness/tests/zoo/zoo.h"

static enum assay_status crash(struct assay_session *session, const struct assay_request *request,
                               struct assay_message *message)
{
    (void)session;
    (void)request;
    (void)message;
    abort();
}

static const struct zoo_plugin zoo_plugin = {.name = "supports_crash", .supports = crash};
