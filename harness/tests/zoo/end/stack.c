// SPDX-License-Identifier: Apache-2.0
// Calls itself until the stack is full, which is as large as most systems make it, also where there
// is no limit.

#include <sys/resource.h>

#include "harness/tests/zoo/zoo.h"

static int descend(const struct assay_request *request, int depth)
{
    volatile char block[4096];
    block[depth % 4096] = (char)depth;
    return request->size == 0 ? block[0] : descend(request, depth + 1) + block[depth % 4096];
}

static enum assay_status run(const struct assay_request *request, struct assay_message *message)
{
    (void)message;
    struct rlimit limit;
    if (!getrlimit(RLIMIT_STACK, &limit) && limit.rlim_cur == RLIM_INFINITY) {
        limit.rlim_cur = 8 << 20;
        setrlimit(RLIMIT_STACK, &limit);
    }
    return descend(request, 0) ? ASSAY_OK : ASSAY_FAILED;
}

static const struct zoo_plugin zoo_plugin = {.name = "stack", .run = run};
