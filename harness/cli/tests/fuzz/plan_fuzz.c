// SPDX-License-Identifier: Apache-2.0
// Any bytes as plan.json of a folder of parts, and as the text of a plan of an audit and of a
// certification.

#include "harness/cli/tests/fuzz/fuzz.h"

#include <string.h>

#include "harness/cli/audit/audit.h"
#include "harness/cli/certify/work.h"

static void read_text(const char *text)
{
    struct arena arena = {.limit = 64 << 20};
    struct diagnostic diagnostic;
    struct audit_arguments audit = {.width = 32};
    struct certify_arguments certify = {.failures = 0};
    struct machine machine;
    char difference[500];
    const struct shard_set set = {.command = "audit", .text = text, .count = 1};
    audit_read_plan(&set, &arena, &audit, &diagnostic);
    certify_read_plan(&set, &arena, &certify, &machine, &diagnostic);
    shard_plan_difference(text, "there", "{\"machine\": {}, \"files\": [{\"name\": \"a\"}]}",
                          "here", "machine", difference, sizeof difference);
    arena_release(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char folder[] = FUZZ_FOLDER, path[64];
    struct diagnostic diagnostic;
    const struct shard_plan plan = {.command = "emit", .text = "{}", .index = 1, .count = 1};
    if (!path[0]) {
        fuzz_folder(folder);
        snprintf(path, sizeof path, "%s/plan.json", folder);
    }
    fuzz_write(path, data, size);
    shard_check_plan(folder, &plan, NULL, &diagnostic);
    char *const text = calloc(size + 1, 1);
    if (!text)
        abort();
    memcpy(text, data, size);
    read_text(text);
    free(text);
    return 0;
}
