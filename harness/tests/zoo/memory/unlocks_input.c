// SPDX-License-Identifier: Apache-2.0
// Makes its inputs writable, changes one, and makes them read-only again.

#include <sys/mman.h>
#include <unistd.h>

#include "harness/tests/zoo/zoo.h"

static enum assay_status run(const struct assay_request *request, struct assay_message *message)
{
    const struct assay_tensor *const counter = zoo_counter(request);
    const enum assay_status status = zoo_compute(request, message);
    if (!counter || !counter->layout.data || !assay_element_count(counter))
        return status;
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE),
                    first = (uintptr_t)counter->layout.data & ~(page - 1);
    if (!mprotect((void *)first, page, PROT_READ | PROT_WRITE)) {
        ++*(uint8_t *)counter->layout.data;
        mprotect((void *)first, page, PROT_READ);
    }
    return status;
}

static const struct zoo_plugin zoo_plugin = {.name = "unlocks_input", .run = run};
