// SPDX-License-Identifier: Apache-2.0
// Computes well and dies when it is closed.

#include <stdlib.h>

#include "harness/zoo/zoo.h"

static void crash(struct assay_session *session)
{
    (void)session;
    abort();
}

static enum assay_status zoo_run(struct assay_instance *instance,
                                 const struct assay_request *request, struct assay_message *message)
{
    (void)instance;
    return zoo_compute(request, message);
}

const struct assay_plugin *assay_plugin_entry(void)
{
    static struct assay_plugin plugin = ZOO_PLUGIN("crashes_at_close", 0);
    plugin.close = crash;
    return &plugin;
}
