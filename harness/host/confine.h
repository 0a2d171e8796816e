// SPDX-License-Identifier: Apache-2.0
// Limits that a worker puts on itself before the target's code is loaded.

#ifndef ASSAY_HARNESS_HOST_CONFINE_H
#define ASSAY_HARNESS_HOST_CONFINE_H

#include <stdbool.h>
#include <stdint.h>

struct confinement {
    uint64_t memory_bytes; // private memory; 0: no limit
    bool allow_network;
};

// Sets limits on memory, files and core dumps; dies with the harness; forbids signals to the
// harness, leaving the process group, tracing, and (unless allowed) network sockets. What the
// system does not offer is left out.
void confine_process(const struct confinement *confinement);

#endif
