// SPDX-License-Identifier: Apache-2.0
// Starts a thread at each call and leaves it running.

#include <pthread.h>
#include <unistd.h>

#include "harness/tests/zoo/zoo.h"

static void *wait_for_ever(void *context)
{
    for (;;)
        pause();
    return context;
}

static bool misbehave(void)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, wait_for_ever, NULL))
        return false;
    return true;
}

static const struct zoo_plugin zoo_plugin = {.name = "thread_leak", .before = misbehave};
