// SPDX-License-Identifier: Apache-2.0
// Does not come back from being opened.

#include <unistd.h>

#include "harness/zoo/zoo.h"

static enum assay_status hang(struct assay_session **session, struct assay_message *message)
{
    (void)session;
    (void)message;
    for (;;)
        pause();
    return ASSAY_OK;
}

static enum assay_status zoo_run(struct assay_instance *instance,
                                 const struct assay_request *request, struct assay_message *message)
{
    (void)instance;
    return zoo_compute(request, message);
}

const struct assay_plugin *assay_plugin_entry(void)
{
    static struct assay_plugin plugin = ZOO_PLUGIN("hangs_at_open", 0);
    plugin.open = hang;
    return &plugin;
}
