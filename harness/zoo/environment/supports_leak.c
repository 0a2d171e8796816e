// SPDX-License-Identifier: Apache-2.0
// Leaves the current directory when it is asked whether it supports something.

#include <unistd.h>

#include "harness/zoo/zoo.h"

static enum assay_status leave(struct assay_session *session, const struct assay_request *request,
                               struct assay_message *message)
{
    return chdir("/") ? ASSAY_FAILED : zoo_supports(session, request, message);
}

static enum assay_status zoo_run(struct assay_instance *instance,
                                 const struct assay_request *request, struct assay_message *message)
{
    (void)instance;
    return zoo_compute(request, message);
}

const struct assay_plugin *assay_plugin_entry(void)
{
    static struct assay_plugin plugin = ZOO_PLUGIN("supports_leak", 0);
    plugin.supports = leave;
    return &plugin;
}
