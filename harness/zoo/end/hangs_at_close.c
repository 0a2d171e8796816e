// SPDX-License-Identifier: Apache-2.0
// Computes well and does not come back when it is closed.

#include <unistd.h>

#include "harness/zoo/zoo.h"

static void hang(struct assay_session *session)
{
    (void)session;
    for (;;)
        pause();
}

static enum assay_status zoo_run(struct assay_instance *instance,
                                 const struct assay_request *request, struct assay_message *message)
{
    (void)instance;
    return zoo_compute(request, message);
}

const struct assay_plugin *assay_plugin_entry(void)
{
    static struct assay_plugin plugin = ZOO_PLUGIN("hangs_at_close", 0);
    plugin.close = hang;
    return &plugin;
}
