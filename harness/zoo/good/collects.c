// SPDX-License-Identifier: Apache-2.0
// Behaves well: keeps what it worked out at each call, and lets all of it go at each seventeenth.

#include <stdlib.h>

#include "harness/zoo/zoo.h"

enum { ZOO_KEPT = 17, ZOO_KEPT_BYTES = 4096 };
static void *kept[ZOO_KEPT];
static unsigned kept_count;

static enum assay_status zoo_run(struct assay_instance *instance,
                                 const struct assay_request *request, struct assay_message *message)
{
    (void)instance;
    kept[kept_count++] = calloc(1, ZOO_KEPT_BYTES);
    for (; kept_count == ZOO_KEPT; kept_count = 0)
        for (unsigned i = 0; i < ZOO_KEPT; i++)
            free(kept[i]);
    return zoo_compute(request, message);
}

const struct assay_plugin *assay_plugin_entry(void)
{
    static const struct assay_plugin plugin = ZOO_PLUGIN("collects", 0);
    return &plugin;
}
