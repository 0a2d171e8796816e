// SPDX-License-Identifier: Apache-2.0
// Starts a thread at each call and leaves it running.

#include <pthread.h>
#include <unistd.h>

#include "harness/zoo/zoo.h"

static void *wait_for_ever(void *context)
{
    for (;;)
        pause();
    return context;
}

static enum assay_status zoo_run(struct assay_instance *instance,
                                 const struct assay_request *request, struct assay_message *message)
{
    (void)instance;
    const enum assay_status status = zoo_compute(request, message);
    pthread_t thread;
    if (pthread_create(&thread, NULL, wait_for_ever, NULL))
        return ASSAY_FAILED;
    return status;
}

const struct assay_plugin *assay_plugin_entry(void)
{
    static const struct assay_plugin plugin = ZOO_PLUGIN("thread_leak", 0);
    return &plugin;
}
