// SPDX-License-Identifier: Apache-2.0
// Blocks a signal and leaves it blocked.

#include <pthread.h>
#include <signal.h>

#include "harness/tests/zoo/zoo.h"

static bool misbehave(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    return true;
}

static const struct zoo_plugin zoo_plugin = {.name = "signal_mask", .before = misbehave};
