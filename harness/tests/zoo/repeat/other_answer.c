// SPDX-License-Identifier: Apache-2.0
// Answers with the output of the call before.

#include "harness/tests/zoo/zoo.h"

enum { ZOO_KEPT = 64 };
static uint64_t kept[ZOO_KEPT];
static int have;

static enum assay_status run(const struct assay_request *request, struct assay_message *message)
{
    const struct assay_tensor *const output = zoo_output(request);
    const enum assay_status status = zoo_compute(request, message);
    uint64_t now[ZOO_KEPT];
    const int64_t count =
        assay_element_count(output) < ZOO_KEPT ? assay_element_count(output) : ZOO_KEPT;
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

static const struct zoo_plugin zoo_plugin = {.name = "other_answer", .run = run};
