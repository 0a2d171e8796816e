// SPDX-License-Identifier: Apache-2.0
// Any bytes as one JSON value.

#include "harness/cli/tests/fuzz/fuzz.h"

#include "ref/base/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena = {.limit = 64 << 20};
    struct diagnostic diagnostic;
    const struct document_source source = fuzz_source(data, size);
    struct document_node *root;
    json_read(&source, &arena, &root, &diagnostic);
    arena_release(&arena);
    return 0;
}
