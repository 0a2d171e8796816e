// SPDX-License-Identifier: Apache-2.0
// Any bytes as a suite; every case of a sound one is expanded.

#include "harness/cli/tests/fuzz/fuzz.h"

#include "yaml/suite.h"

// A suite stands in a file of its name.
static char folder[] = "/dev/shm/assay-fuzz-suite-XXXXXX", path[64];

static void remove_file(void)
{
    unlink(path);
    rmdir(folder);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct suite suite = {0};
    struct diagnostic diagnostic;
    if (!path[0]) {
        if (!mkdtemp(folder))
            abort();
        snprintf(path, sizeof path, "%s/small.yaml", folder);
        atexit(remove_file);
    }
    FILE *const file = fopen(path, "wb");
    if (!file || fwrite(data, 1, size, file) != size || fclose(file))
        abort();
    if (!suite_read(path, &suite, &diagnostic))
        for (size_t i = 0; i < suite.case_count && i < 64; i++) {
            struct arena arena = {.limit = 64 << 20};
            struct document_node *node;
            suite_case_document(&suite, &suite.cases[i], &arena, &node, &diagnostic);
            arena_release(&arena);
        }
    suite_release(&suite);
    return 0;
}
