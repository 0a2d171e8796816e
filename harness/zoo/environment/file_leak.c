// SPDX-License-Identifier: Apache-2.0
// Opens a file at each call and never closes it.

#include <fcntl.h>

#include "harness/zoo/zoo.h"

static enum assay_status zoo_run(struct assay_instance *instance,
                                 const struct assay_request *request, struct assay_message *message)
{
    (void)instance;
    const enum assay_status status = zoo_compute(request, message);
    if (open("/dev/null", O_RDONLY) < 0)
        return ASSAY_FAILED;
    return status;
}

const struct assay_plugin *assay_plugin_entry(void)
{
    static const struct assay_plugin plugin = ZOO_PLUGIN("file_leak", 0);
    return &plugin;
}
