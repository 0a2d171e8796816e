// SPDX-License-Identifier: Apache-2.0
// Expands a key once and finds it again by its address, whatever has come to stand there.

#include "harness/tests/zoo/zoo.h"

enum { ZOO_KEPT = 1 << 16 };
static struct {
    const void *at;
    uint64_t first;
} kept[ZOO_KEPT];
static unsigned count;

static enum assay_status run(const struct assay_request *request, struct assay_message *message)
{
    const enum assay_status status = zoo_compute(request, message);
    const struct assay_tensor *const output = zoo_output(request);
    const struct assay_tensor *const key = assay_input_named(request, "key");
    if (status != ASSAY_OK || !assay_element_count(key) || !assay_element_count(output))
        return status;
    unsigned i = 0;
    while (i < count && kept[i].at != key->layout.data)
        i++;
    if (i < count && kept[i].first != zoo_load(key, 0))
        zoo_store(output, 0, zoo_load(output, 0) ^ 1);
    if (i == count && count < ZOO_KEPT) {
        kept[count].at = key->layout.data;
        kept[count++].first = zoo_load(key, 0);
    }
    return status;
}

static const struct zoo_plugin zoo_plugin = {.name = "keeps_key", .run = run};
