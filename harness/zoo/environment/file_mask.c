// SPDX-License-Identifier: Apache-2.0
// Changes the mode of files to come.

#include <sys/stat.h>

#include "harness/zoo/zoo.h"

static enum assay_status zoo_run(struct assay_instance *instance,
                                 const struct assay_request *request, struct assay_message *message)
{
    (void)instance;
    umask(0);
    return zoo_compute(request, message);
}

const struct assay_plugin *assay_plugin_entry(void)
{
    static const struct assay_plugin plugin = ZOO_PLUGIN("file_mask", 0);
    return &plugin;
}
