// SPDX-License-Identifier: Apache-2.0
// Dies when it is asked whether it supports something.

#include <stdlib.h>

#include "harness/zoo/zoo.h"

static enum assay_status crash(struct assay_session *session, const struct assay_request *request,
                               struct assay_message *message)
{
    (void)session;
    (void)request;
    (void)message;
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
    static struct assay_plugin plugin = ZOO_PLUGIN("supports_crash", 0);
    plugin.supports = crash;
    return &plugin;
}
