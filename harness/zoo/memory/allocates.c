// SPDX-License-Identifier: Apache-2.0
// Takes memory without end.

#include <stdlib.h>

#include "harness/zoo/zoo.h"

static enum assay_status zoo_run(struct assay_instance *instance,
                                 const struct assay_request *request, struct assay_message *message)
{
    (void)instance;
    (void)request;
    (void)message;
    enum { BLOCK = 1 << 20 };
    for (;;) {
        char *const block = malloc(BLOCK);
        if (block)
            memset(block, 1, BLOCK);
    }
    return ASSAY_FAILED;
}

const struct assay_plugin *assay_plugin_entry(void)
{
    static const struct assay_plugin plugin = ZOO_PLUGIN("allocates", 0);
    return &plugin;
}
