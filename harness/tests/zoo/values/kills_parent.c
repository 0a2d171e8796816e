// SPDX-License-Identifier: Apache-2.0
// Tries to kill the harness, and fails when that did not help.

#include <signal.h>
#include <unistd.h>

#include "harness/tests/zoo/zoo.h"

static enum assay_status run(const struct assay_request *request, struct assay_message *message)
{
    kill(getppid(), SIGKILL);
    kill(-1, SIGKILL);
    (void)request;
    snprintf(message->text, sizeof message->text, "the harness lives");
    return ASSAY_FAILED;
}

static const struct zoo_plugin zoo_plugin = {.name = "kills_parent", .run = run};
