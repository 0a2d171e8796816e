// SPDX-License-Identifier: Apache-2.0
// Depends on the time of day.

#include <time.h>

#include "harness/zoo/zoo.h"

static enum assay_status zoo_run(struct assay_instance *instance,
                                 const struct assay_request *request, struct assay_message *message)
{
    (void)instance;
    const struct assay_tensor *const output =
        zoo_find(request->outputs, request->output_count, "output");
    const enum assay_status status = zoo_compute(request, message);
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    if (status == ASSAY_OK && zoo_count(output))
        zoo_store(output, 0, zoo_load(output, 0) ^ (uint64_t)time.tv_nsec);
    return status;
}

const struct assay_plugin *assay_plugin_entry(void)
{
    static const struct assay_plugin plugin = ZOO_PLUGIN("clock", 0);
    return &plugin;
}
