// SPDX-License-Identifier: Apache-2.0
// Computes well and dies when an instance is released.

#include <stdlib.h>

#include "harness/tests/zoo/zoo.h"

static enum assay_status prepare(struct assay_session *session, const struct assay_request *request,
                                 struct assay_instance **instance, struct assay_message *message)
{
    static char one;
    (void)session;
    (void)request;
    (void)message;
    *instance = (struct assay_instance *)(void *)&one;
    return ASSAY_OK;
}

static void crash(struct assay_instance *instance)
{
    if (instance)
        abort();
}

static const struct zoo_plugin zoo_plugin = {
    .name = "crashes_at_release", .prepare = prepare, .release = crash};
