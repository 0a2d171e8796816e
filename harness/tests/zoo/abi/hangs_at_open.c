// SPDX-License-Identifier: Apache-2.0
// Does not come back from being opened.

#include <unistd.h>

#include "harness/tests/zoo/zoo.h"

static enum assay_status hang(struct assay_session **session, struct assay_message *message)
{
    (void)session;
    (void)message;
    for (;;)
        pause();
    return ASSAY_OK;
}

static const struct zoo_plugin zoo_plugin = {.name = "hangs_at_open", .open = hang};
