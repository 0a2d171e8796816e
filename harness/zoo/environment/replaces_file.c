// SPDX-License-Identifier: Apache-2.0
// Closes standard error and opens another file in its place.

#include <fcntl.h>
#include <unistd.h>

#include "harness/zoo/zoo.h"

static enum assay_status zoo_run(struct assay_instance *instance,
                                 const struct assay_request *request, struct assay_message *message)
{
    (void)instance;
    close(2);
    if (open("/dev/null", O_WRONLY) < 0)
        return ASSAY_FAILED;
    return zoo_compute(request, message);
}

const struct assay_plugin *assay_plugin_entry(void)
{
    static const struct assay_plugin plugin = ZOO_PLUGIN("replaces_file", 0);
    return &plugin;
}
