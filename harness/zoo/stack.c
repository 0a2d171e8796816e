// SPDX-License-Identifier: Apache-2.0
// Calls itself until the stack is full.

#include "harness/zoo/zoo.h"

static int descend(const struct assay_request *request, int depth)
{
    volatile char block[4096];
    block[depth % 4096] = (char)depth;
    return request->size == 0 ? block[0] : descend(request, depth + 1) + block[depth % 4096];
}

static enum assay_status zoo_run(struct assay_instance *instance, const struct assay_request *request,
                                 struct assay_message *message)
{
    (void)instance;
    (void)message;
    return descend(request, 0) ? ASSAY_OK : ASSAY_FAILED;
}

const struct assay_plugin *assay_plugin_entry(void)
{
    static const struct assay_plugin plugin = ZOO_PLUGIN("stack", 0);
    return &plugin;
}
