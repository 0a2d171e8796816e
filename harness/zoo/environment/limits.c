// SPDX-License-Identifier: Apache-2.0
// Lowers a limit of the process.

#include <sys/resource.h>

#include "harness/zoo/zoo.h"

static enum assay_status zoo_run(struct assay_instance *instance,
                                 const struct assay_request *request, struct assay_message *message)
{
    (void)instance;
    struct rlimit limit;
    if (!getrlimit(RLIMIT_NOFILE, &limit)) {
        limit.rlim_cur = 64;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
    return zoo_compute(request, message);
}

const struct assay_plugin *assay_plugin_entry(void)
{
    static const struct assay_plugin plugin = ZOO_PLUGIN("limits", 0);
    return &plugin;
}
