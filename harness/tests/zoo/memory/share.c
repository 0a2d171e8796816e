// SPDX-License-Identifier: Apache-2.0
// Finds the memory that it shares with whoever called it, and writes all over it.

#include <sys/mman.h>
#include <sys/stat.h>

#include "harness/tests/zoo/zoo.h"

static enum assay_status run(const struct assay_request *request, struct assay_message *message)
{
    struct stat status;
    const enum assay_status answer = zoo_compute(request, message);
    if (fstat(3, &status) || status.st_size <= 0)
        return answer;
    void *const all = mmap(NULL, (size_t)status.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, 3, 0);
    if (all != MAP_FAILED)
        memset(all, 0xff, (size_t)status.st_size);
    return answer;
}

static const struct zoo_plugin zoo_plugin = {.name = "share", .run = run};
