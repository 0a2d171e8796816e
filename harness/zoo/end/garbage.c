// SPDX-License-Identifier: Apache-2.0
// Writes garbage to every descriptor that it finds.

#include <unistd.h>

#include "harness/zoo/zoo.h"

static enum assay_status zoo_run(struct assay_instance *instance,
                                 const struct assay_request *request, struct assay_message *message)
{
    (void)instance;
    (void)request;
    (void)message;
    for (int file = 1; file < 16; file++)
        if (write(file, "garbage garbage garbage garbage ", 32) < 0)
            continue;
    return ASSAY_OK;
}

const struct assay_plugin *assay_plugin_entry(void)
{
    static const struct assay_plugin plugin = ZOO_PLUGIN("garbage", 0);
    return &plugin;
}
