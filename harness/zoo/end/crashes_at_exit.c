// SPDX-License-Identifier: Apache-2.0
// Computes well and leaves a function that dies when the process ends.

#include <stdlib.h>

#include "harness/zoo/zoo.h"

static void crash(void)
{
    abort();
}

static enum assay_status zoo_run(struct assay_instance *instance,
                                 const struct assay_request *request, struct assay_message *message)
{
    (void)instance;
    static int registered;
    if (!registered++)
        atexit(crash);
    return zoo_compute(request, message);
}

const struct assay_plugin *assay_plugin_entry(void)
{
    static const struct assay_plugin plugin = ZOO_PLUGIN("crashes_at_exit", 0);
    return &plugin;
}
