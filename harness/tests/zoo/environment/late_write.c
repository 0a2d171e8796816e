// SPDX-License-Identifier: Apache-2.0
// Returns before its thread has written the last element.

#include <pthread.h>
#include <time.h>

#include "harness/tests/zoo/zoo.h"

static uint8_t *volatile place;
static volatile uint8_t value;

static void *write_late(void *context)
{
    const struct timespec later = {
        .tv_sec = 600}; // later than anybody looks, however slow the machine is
    nanosleep(&later, NULL);
    *place = value;
    return context;
}

static enum assay_status run(const struct assay_request *request, struct assay_message *message)
{
    const enum assay_status status = zoo_compute(request, message);
    const struct assay_tensor *const output = zoo_output(request);
    pthread_t thread;
    if (status != ASSAY_OK || !assay_element_count(output))
        return status;
    place = zoo_at(output, assay_element_count(output) - 1);
    value = *place;
    *place = 0;
    if (pthread_create(&thread, NULL, write_late, NULL))
        return ASSAY_FAILED;
    pthread_detach(thread);
    return status;
}

static const struct zoo_plugin zoo_plugin = {.name = "late_write", .run = run};
