// SPDX-License-Identifier: Apache-2.0
// Leaves an alarm set, which would strike whoever comes next.

#include <sys/time.h>

#include "harness/tests/zoo/zoo.h"

static bool misbehave(void)
{
    const struct itimerval later = {.it_value = {.tv_sec = 30}};
    setitimer(ITIMER_REAL, &later, NULL);
    return true;
}

static const struct zoo_plugin zoo_plugin = {.name = "timer", .before = misbehave};
