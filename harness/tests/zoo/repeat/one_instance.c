// SPDX-License-Identifier: Apache-2.0
// Keeps in one place what its instances need: where one is released, the others compute otherwise.

#include <stdlib.h>

#include "harness/tests/zoo/zoo.h"

static bool ready;

static enum assay_status prepare(struct assay_session *session, const struct assay_request *request,
                                 struct assay_instance **instance, struct assay_message *message)
{
    (void)session;
    (void)request;
    (void)message;
    ready = true;
    *instance = malloc(1);
    return *instance ? ASSAY_OK : ASSAY_FAILED;
}

static void release(struct assay_instance *instance)
{
    ready = false;
    free(instance);
}

static void spoil(const struct assay_tensor *output)
{
    if (!ready)
        zoo_store(output, 0, zoo_load(output, 0) ^ 1);
}

static const struct zoo_plugin zoo_plugin = {
    .name = "one_instance", .prepare = prepare, .release = release, .after = spoil};
