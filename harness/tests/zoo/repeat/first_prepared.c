// SPDX-License-Identifier: Apache-2.0
// Takes the key of the first of the instances that are alive, and computes all with it.

#include <stdlib.h>

#include "harness/tests/zoo/zoo.h"

static uint64_t kept;
static unsigned alive;

static enum assay_status prepare(struct assay_session *session, const struct assay_request *request,
                                 struct assay_instance **instance, struct assay_message *message)
{
    (void)session;
    (void)message;
    if (!alive++)
        kept = zoo_first_of_key(request);
    *instance = malloc(1);
    return *instance ? ASSAY_OK : ASSAY_FAILED;
}

static void release(struct assay_instance *instance)
{
    alive--;
    free(instance);
}

static enum assay_status run(const struct assay_request *request, struct assay_message *message)
{
    return zoo_compute_for(kept, request, message);
}

static const struct zoo_plugin zoo_plugin = {
    .name = "first_prepared", .prepare = prepare, .run = run, .release = release};
