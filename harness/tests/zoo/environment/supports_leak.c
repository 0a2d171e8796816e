// SPDX-License-Identifier: Apache-2.0
// Leaves the current directory when it is asked whether it supports something.

#include <unistd.h>

#include "harness/tests/zoo/zoo.h"

static enum assay_status leave(struct assay_session *session, const struct assay_request *request,
                               struct assay_message *message)
{
    return chdir("/") ? ASSAY_FAILED : zoo_supports(session, request, message);
}

static const struct zoo_plugin zoo_plugin = {.name = "supports_leak", .supports = leave};
