// SPDX-License-Identifier: Apache-2.0
// Changes the environment variables.

#include <stdlib.h>

#include "harness/zoo/zoo.h"

static enum assay_status zoo_run(struct assay_instance *instance,
                                 const struct assay_request *request, struct assay_message *message)
{
    (void)instance;
    const enum assay_status status = zoo_compute(request, message);
    setenv("ZOO_WAS_HERE", "1", 1);
    return status;
}

const struct assay_plugin *assay_plugin_entry(void)
{
    static const struct assay_plugin plugin = ZOO_PLUGIN("variables", 0);
    return &plugin;
}
