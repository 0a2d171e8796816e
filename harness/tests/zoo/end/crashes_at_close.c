// SPDX-License-Identifier: Apache-2.0
// Computes well and dies when it is closed.

#include <stdlib.h>

#include "harness/tests/zoo/zoo.h"

static void crash(struct assay_session *session)
{
    (void)session;
    abort();
}

static const struct zoo_plugin zoo_plugin = {.name = "crashes_at_close", .close = crash};
