// SPDX-License-Identifier: Apache-2.0
// Keeps the last 1,024 instances that were released, as a cache may, whether they are equal or not.

#include <stdlib.h>

#include "harness/tests/zoo/zoo.h"

enum { KEPT = 1024, BYTES = 1024 };
static void *kept[KEPT];

static enum assay_status prepare(struct assay_session *session, const struct assay_request *request,
                                 struct assay_instance **instance, struct assay_message *message)
{
    (void)session;
    (void)request;
    (void)message;
    *instance = malloc(BYTES);
    return *instance ? ASSAY_OK : ASSAY_FAILED;
}

static void release(struct assay_instance *instance)
{
    static unsigned next;
    free(kept[next]);
    kept[next] = instance;
    next = (next + 1) % KEPT;
}

static const struct zoo_plugin zoo_plugin = {
    .name = "keeps_some", .prepare = prepare, .release = release};
