// SPDX-License-Identifier: Apache-2.0
// Closes every descriptor that it finds.

#include <unistd.h>

#include "harness/zoo/zoo.h"

static enum assay_status zoo_run(struct assay_instance *instance,
                                 const struct assay_request *request, struct assay_message *message)
{
    (void)instance;
    const enum assay_status status = zoo_compute(request, message);
    for (int file = 0; file < 64; file++)
        close(file);
    return status;
}

const struct assay_plugin *assay_plugin_entry(void)
{
    static const struct assay_plugin plugin = ZOO_PLUGIN("closes_files", 0);
    return &plugin;
}
