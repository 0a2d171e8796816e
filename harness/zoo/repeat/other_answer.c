// SPDX-License-Identifier: Apache-2.0
// Answers with the output of the call before.

#include "harness/zoo/zoo.h"

enum { ZOO_KEPT = 64 };
static uint64_t kept[ZOO_KEPT];
static int have;

static enum assay_status zoo_run(struct assay_instance *instance,
                                 const struct assay_request *request, struct assay_message *message)
{
    (void)instance;
    const struct assay_tensor *const output =
        zoo_find(request->outputs, request->output_count, "output");
    const enum assay_status status = zoo_compute(request, message);
    uint64_t now[ZOO_KEPT];
    const int64_t count = zoo_count(output) < ZOO_KEPT ? zoo_count(output) : ZOO_KEPT;
    for (int64_t i = 0; status == ASSAY_OK && i < count; i++) {
        now[i] = zoo_load(output, i);
        if (have)
            zoo_store(output, i, kept[i]);
    }
    for (int64_t i = 0; status == ASSAY_OK && i < count; i++)
        kept[i] = now[i];
    have |= status == ASSAY_OK;
    return status;
}

const struct assay_plugin *assay_plugin_entry(void)
{
    static const struct assay_plugin plugin = ZOO_PLUGIN("other_answer", 0);
    return &plugin;
}
