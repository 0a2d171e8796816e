// SPDX-License-Identifier: Apache-2.0
// Computes well, has one session at a time, and does not come back when that is closed.

#include <unistd.h>

#include "harness/tests/zoo/zoo.h"

static void hang(struct assay_session *session)
{
    (void)session;
    for (;;)
        pause();
}

static const struct zoo_plugin zoo_plugin = {
    .name = "hangs_at_close", .open = zoo_open_one, .close = hang};
