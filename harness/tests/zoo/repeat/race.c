// SPDX-License-Identifier: Apache-2.0
// Keeps its scratch in one place for all threads, though it says that several may run at once. Two
// calls that do are made to meet there, whenever they get their turns: one waits for the other for
// as long as the process has another thread.

#include <stdatomic.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <time.h>

#include "harness/tests/zoo/zoo.h"

enum { ZOO_SCRATCH = 64 };
static volatile uint64_t scratch[ZOO_SCRATCH];
static const struct assay_request *volatile busy;
static atomic_int inside;
static atomic_bool met;

static bool has_other_thread(void)
{
    enum { ONE_THREAD = 3 }; // Linux counts the threads among the links of this folder
    struct stat status;
    return !stat("/proc/self/task", &status) && status.st_nlink > ONE_THREAD;
}

static void wait_for_the_other(void)
{
    const struct timespec moment = {.tv_nsec = 100000};
    if (atomic_fetch_add(&inside, 1) > 0)
        atomic_store(&met, true);
    while (!atomic_load(&met) && has_other_thread())
        nanosleep(&moment, NULL);
}

static void leave(void)
{
    if (atomic_fetch_sub(&inside, 1) == 1)
        atomic_store(&met, false);
}

static enum assay_status run(const struct assay_request *request, struct assay_message *message)
{
    const struct assay_tensor *const counter = zoo_counter(request);
    const struct assay_tensor *const output = zoo_output(request);
    for (int64_t i = 0; i < ZOO_SCRATCH && i < assay_element_count(counter); i++)
        scratch[i] = 0;
    busy = request;
    const enum assay_status status = zoo_compute(request, message);
    for (int64_t i = 0; status == ASSAY_OK && i < ZOO_SCRATCH && i < assay_element_count(output);
         i++)
        scratch[i] = zoo_load(output, i);
    wait_for_the_other();
    for (int64_t i = 0; status == ASSAY_OK && i < ZOO_SCRATCH && i < assay_element_count(output);
         i++)
        zoo_store(output, i, busy == request ? scratch[i] : ~scratch[i]);
    leave();
    return status;
}

static const struct zoo_plugin zoo_plugin = {
    .name = "race", .capabilities = ASSAY_CAPABILITY_REENTRANT, .run = run};
