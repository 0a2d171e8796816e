// SPDX-License-Identifier: Apache-2.0
// Leaves the rounding mode changed.

#include <fenv.h>

#include "harness/zoo/zoo.h"

static enum assay_status zoo_run(struct assay_instance *instance,
                                 const struct assay_request *request, struct assay_message *message)
{
    (void)instance;
    const enum assay_status status = zoo_compute(request, message);
    fesetround(FE_TOWARDZERO);
    return status;
}

const struct assay_plugin *assay_plugin_entry(void)
{
    static const struct assay_plugin plugin = ZOO_PLUGIN("leak_rounding", 0);
    return &plugin;
}
