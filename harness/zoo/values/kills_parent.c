// SPDX-License-Identifier: Apache-2.0
// Tries to kill the harness, and fails when that did not help.

#include <signal.h>
#include <unistd.h>

#include "harness/zoo/zoo.h"

static enum assay_status zoo_run(struct assay_instance *instance,
                                 const struct assay_request *request, struct assay_message *message)
{
    (void)instance;
    kill(getppid(), SIGKILL);
    kill(-1, SIGKILL);
    (void)request;
    snprintf(message->text, sizeof message->text, "the harness lives");
    return ASSAY_FAILED;
}

const struct assay_plugin *assay_plugin_entry(void)
{
    static const struct assay_plugin plugin = ZOO_PLUGIN("kills_parent", 0);
    return &plugin;
}
