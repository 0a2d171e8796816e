// SPDX-License-Identifier: Apache-2.0
// Behaves well: a thread of its own frees what a call took, a moment after the call has returned.

#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <time.h>

#include "harness/tests/zoo/zoo.h"

static sem_t given, freed;
static void *scratch;

static void *free_late(void *context)
{
    const struct timespec moment = {.tv_nsec = 1};
    for (;;) {
        sem_wait(&given);
        nanosleep(&moment, NULL);
        free(scratch);
        sem_post(&freed);
    }
    return context;
}

static enum assay_status run(const struct assay_request *request, struct assay_message *message)
{
    static bool started;
    enum { BYTES = 4096 };
    if (!started) {
        pthread_t thread;
        sem_init(&given, 0, 0);
        sem_init(&freed, 0, 1);
        started = !pthread_create(&thread, NULL, free_late, NULL);
    }
    sem_wait(&freed);
    const enum assay_status status = zoo_compute(request, message);
    scratch = malloc(BYTES);
    sem_post(&given);
    return scratch ? status : ASSAY_FAILED;
}

static const struct zoo_plugin zoo_plugin = {.name = "frees_late", .run = run};
