// SPDX-License-Identifier: Apache-2.0
// Loses a quarter of a megabyte at each call.

#include <stdlib.h>

#include "harness/zoo/zoo.h"

static char *volatile kept;

static enum assay_status zoo_run(struct assay_instance *instance,
                                 const struct assay_request *request, struct assay_message *message)
{
    (void)instance;
    char *const lost = malloc(1 << 18);
    if (!lost)
        return ASSAY_FAILED;
    memset(lost, 1, 1 << 18);
    *(char *volatile *)&kept = lost;
    return zoo_compute(request, message);
}

const struct assay_plugin *assay_plugin_entry(void)
{
    static const struct assay_plugin plugin = ZOO_PLUGIN("memory_leak", 0);
    return &plugin;
}
