// SPDX-License-Identifier: Apache-2.0
// Blocks a signal and leaves it blocked.

#include <pthread.h>
#include <signal.h>

#include "harness/zoo/zoo.h"

static enum assay_status zoo_run(struct assay_instance *instance,
                                 const struct assay_request *request, struct assay_message *message)
{
    (void)instance;
    const enum assay_status status = zoo_compute(request, message);
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    return status;
}

const struct assay_plugin *assay_plugin_entry(void)
{
    static const struct assay_plugin plugin = ZOO_PLUGIN("signal_mask", 0);
    return &plugin;
}
