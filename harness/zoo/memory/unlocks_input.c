// SPDX-License-Identifier: Apache-2.0
// Makes its inputs writable, changes one, and makes them read-only again.

#include <sys/mman.h>
#include <unistd.h>

#include "harness/zoo/zoo.h"

static enum assay_status zoo_run(struct assay_instance *instance,
                                 const struct assay_request *request, struct assay_message *message)
{
    (void)instance;
    const struct assay_tensor *const counter =
        zoo_find(request->inputs, request->input_count, "counter");
    const enum assay_status status = zoo_compute(request, message);
    if (!counter || !counter->layout.data || !zoo_count(counter))
        return status;
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE),
                    first = (uintptr_t)counter->layout.data & ~(page - 1);
    if (!mprotect((void *)first, page, PROT_READ | PROT_WRITE)) {
        ++*(uint8_t *)counter->layout.data;
        mprotect((void *)first, page, PROT_READ);
    }
    return status;
}

const struct assay_plugin *assay_plugin_entry(void)
{
    static const struct assay_plugin plugin = ZOO_PLUGIN("unlocks_input", 0);
    return &plugin;
}
