// SPDX-License-Identifier: Apache-2.0
// Leaves an alarm set, which would strike whoever comes next.

#include <sys/time.h>

#include "harness/zoo/zoo.h"

static enum assay_status zoo_run(struct assay_instance *instance,
                                 const struct assay_request *request, struct assay_message *message)
{
    (void)instance;
    const struct itimerval later = {.it_value = {.tv_sec = 30}};
    setitimer(ITIMER_REAL, &later, NULL);
    return zoo_compute(request, message);
}

const struct assay_plugin *assay_plugin_entry(void)
{
    static const struct assay_plugin plugin = ZOO_PLUGIN("timer", 0);
    return &plugin;
}
