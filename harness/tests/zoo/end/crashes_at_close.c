// SPDX-License-Identifier: Apache-2.0
// Computes well, has one session at a time, and dies when that is closed.

#include <stdlib.h>

#include "harness/tests/zoo/zoo.h"

static void crash(struct assay_session *session)
{
    (void)session;
    abort();
}

static const struct zoo_plugin zoo_plugin = {
    .name = "crashes_at_close", .open = zoo_open_one, .close = crash};
