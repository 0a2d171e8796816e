// SPDX-License-Identifier: Apache-2.0
// Behaves well: computes each half of the work on a thread of its own, which it ends.

#include <pthread.h>

#include "harness/tests/zoo/zoo.h"

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

static enum assay_status run(const struct assay_request *request, struct assay_message *message)
{
    pthread_t thread;
    struct half half = {.request = request, .message = message};
    if (pthread_create(&thread, NULL, compute, &half))
        return ASSAY_FAILED;
    pthread_join(thread, NULL);
    return half.status;
}

static const struct zoo_plugin zoo_plugin = {
    .name = "good_threads", .capabilities = ASSAY_CAPABILITY_THREADS, .run = run};
