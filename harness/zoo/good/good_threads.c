// SPDX-License-Identifier: Apache-2.0
// Behaves well: computes each half of the work on a thread of its own, which it ends.

#include <pthread.h>

#include "harness/zoo/zoo.h"

struct half {
    const struct assay_request *request;
    struct assay_message *message;
    enum assay_status status;
};

static void *compute(void *context)
{
    struct half *const half = context;
    half->status = zoo_compute(half->request, half->message);
    return NULL;
}

static enum assay_status zoo_run(struct assay_instance *instance,
                                 const struct assay_request *request, struct assay_message *message)
{
    (void)instance;
    pthread_t thread;
    struct half half = {.request = request, .message = message};
    if (pthread_create(&thread, NULL, compute, &half))
        return ASSAY_FAILED;
    pthread_join(thread, NULL);
    return half.status;
}

const struct assay_plugin *assay_plugin_entry(void)
{
    static const struct assay_plugin plugin = ZOO_PLUGIN("good_threads", ASSAY_CAPABILITY_THREADS);
    return &plugin;
}
