// SPDX-License-Identifier: Apache-2.0
// Computes well and dies when an instance is released.

#include <stdlib.h>

#include "harness/zoo/zoo.h"

static enum assay_status prepare(struct assay_session *session, const struct assay_request *request,
                                 struct assay_instance **instance, struct assay_message *message)
{
    static char one;
    (void)session;
    (void)request;
    (void)message;
    *instance = (struct assay_instance *)(void *)&one;
    return ASSAY_OK;
}

static void crash(struct assay_instance *instance)
{
    if (instance)
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
    static struct assay_plugin plugin = ZOO_PLUGIN("crashes_at_release", 0);
    plugin.prepare = prepare;
    plugin.release = crash;
    return &plugin;
}
