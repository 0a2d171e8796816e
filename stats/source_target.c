// SPDX-License-Identifier: Apache-2.0
// A target's block function as a source: Philox4x32-10 of consecutive counters, computed by the target in a worker of its own.

#include "stats/source.h"

#include <stdlib.h>
#include <string.h>

#include "harness/host/host.h"

enum { WORDS = 4, BLOCKS = SOURCE_GRAIN / WORDS };

struct target {
    struct host *host;
    uint32_t key[2];
    uint32_t counter[BLOCKS * WORDS];
};

static enum error target_read(void *context, uint64_t first, size_t words, uint32_t *to, size_t *got,
                              struct diagnostic *diagnostic)
{
    struct target *const target = context;
    *got = 0;
    while (*got < words) {
        const uint64_t block = (first + *got) / WORDS;
        for (uint64_t i = 0; i < BLOCKS; i++) {
            target->counter[WORDS * i] = (uint32_t)(block + i);
            target->counter[WORDS * i + 1] = (uint32_t)((block + i) >> 32);
        }
        const struct assay_attribute attribute[] = {{.name = "words", .kind = ASSAY_INTEGER, .integer = WORDS},
                                                    {.name = "width", .kind = ASSAY_INTEGER, .integer = 32},
                                                    {.name = "rounds", .kind = ASSAY_INTEGER, .integer = 10}};
        const struct host_tensor input[] = {
            {"counter", {.dtype = DTYPE_U32, .rank = 2, .shape = {BLOCKS, WORDS}, .data = target->counter}},
            {"key", {.dtype = DTYPE_U32, .rank = 1, .shape = {2}, .data = target->key}}};
        const struct host_tensor output[] = {
            {"output", {.dtype = DTYPE_U32, .rank = 2, .shape = {BLOCKS, WORDS}, .data = to + *got}}};
        const struct host_request request = {.operation = "philox",
                                             .attributes = attribute,
                                             .attribute_count = sizeof attribute / sizeof *attribute,
                                             .inputs = input,
                                             .input_count = 2,
                                             .outputs = output,
                                             .output_count = 1};
        struct host_call call = {.request = &request};
        host_run(target->host, &call, 1);
        if (call.outcome != HOST_OK)
            return diagnostic_fail(diagnostic, ERROR_SYSTEM, "the target %s: %s %s", host_describe(target->host)->name,
                                   host_outcome_name(call.outcome), call.message);
        *got += SOURCE_GRAIN;
    }
    return ERROR_NONE;
}

static void target_close(void *context)
{
    struct target *const target = context;
    host_close(target->host, NULL);
    free(target);
}

enum error source_open_target(struct source *source, const char *name, const char *path, uint64_t seed,
                              struct diagnostic *diagnostic)
{
    struct target *const target = calloc(1, sizeof *target);
    if (!target)
        return diagnostic_fail(diagnostic, ERROR_INTERNAL, "out of memory");
    target->key[0] = (uint32_t)seed;
    target->key[1] = (uint32_t)(seed >> 32);
    const struct host_options options = {.plugin = path};
    const enum error error = host_open(&options, &target->host, diagnostic);
    if (error) {
        free(target);
        return error;
    }
    *source = (struct source){name, 0, target, target_read, target_close, 0, NULL};
    return ERROR_NONE;
}
