// SPDX-License-Identifier: Apache-2.0
// Depends on the time of day.

#include <time.h>

#include "harness/tests/zoo/zoo.h"

static void spoil(const struct assay_tensor *output)
{
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    zoo_store(output, 0, zoo_load(output, 0) ^ (uint64_t)time.tv_nsec);
}

static const struct zoo_plugin zoo_plugin = {.name = "clock", .after = spoil};
