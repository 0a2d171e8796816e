// SPDX-License-Identifier: Apache-2.0
// Any bytes as a suite; every case of a sound one is expanded.

#include "harness/cli/tests/fuzz/fuzz.h"

#include "yaml/suite.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char folder[] = FUZZ_FOLDER;
    static bool made;
    struct suite suite = {0};
    struct diagnostic diagnostic;
    if (!made)
        fuzz_folder(folder);
    made = true;
    const char *const path =
        fuzz_path(folder, "small.yaml"); // a suite stands in a file of its name
    fuzz_write(path, data, size);
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
