// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/history/audit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/judge/write/records.h"
#include "ref/base/arena.h"
#include "stats/nights/history.h"

struct nights {
    struct history_night *night;
    size_t count;
    bool failed;
};

static void keep(void *context, const struct history_night *night)
{
    struct nights *const nights = context;
    if (array_grow(&nights->night, nights->count, sizeof *nights->night))
        nights->night[nights->count++] = *night;
    else
        nights->failed = true;
}

// Sources, each once: the history lists them one after the other.
static size_t list_sources(const struct nights *nights, struct records_target *target)
{
    size_t count = 0;
    for (size_t i = 0; i < nights->count; i++)
        if (!count || strcmp(target[count - 1].name, nights->night[i].source) != 0)
            target[count++] =
                (struct records_target){.name = nights->night[i].source, .source = true};
    return count;
}

static void put_night(struct records *records, const struct history_night *night)
{
    char test[64];
    snprintf(test, sizeof test, "all tests, profile %s", night->profile);
    const struct records_evidence evidence = {
        .source = night->source,
        .test = test,
        .night = night->closed,
        .reason = (night->flawed || night->log_p < -9.2) && night->what[0] ? night->what : NULL,
        .bits = night->blocks * (UINT64_C(32) << BATTERY_BLOCK_LOG2),
        .p = exp(night->log_p),
        .e = exp(fmin(night->log_e, 700)),
        .alarm = night->alarm || night->flawed};
    records_put_evidence(records, &evidence);
}

enum error history_write_evidence(const char *database, const char *path,
                                  struct diagnostic *diagnostic)
{
    struct history *history = NULL;
    struct nights nights = {.night = NULL};
    struct records records = {.records = 0};
    enum error error = history_open(&history, database, HISTORY_READ, diagnostic);
    if (error)
        return error;
    error = history_list(history, NULL, keep, &nights, diagnostic);
    history_close(history);
    struct records_target *const target = calloc(nights.count + 1, sizeof *target);
    if (!error && (nights.failed || !target))
        error = diagnostic_no_memory(diagnostic);
    if (!error) {
        const struct records_plan plan = {
            .command = "audit", .target_count = list_sources(&nights, target), .target = target};
        error = records_begin(&records, &plan, diagnostic);
    }
    for (size_t i = 0; !error && i < nights.count; i++)
        put_night(&records, &nights.night[i]);
    if (!error)
        error = records_end(&records, path, diagnostic);
    records_release(&records);
    free(target);
    free(nights.night);
    return error;
}
