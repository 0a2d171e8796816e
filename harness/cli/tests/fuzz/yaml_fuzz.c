// SPDX-License-Identifier: Apache-2.0
// Any bytes as a stream of YAML and JSON documents.

#include "harness/cli/tests/fuzz/fuzz.h"

#include "yaml/reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena = {.limit = 64 << 20};
    struct diagnostic diagnostic;
    const struct document_source source = fuzz_source(data, size);
    struct yaml_stream stream = {.source = &source};
    struct document_node *root;
    while (!yaml_stream_next(&stream, &arena, &root, &diagnostic) && root)
        continue;
    arena_release(&arena);
    return 0;
}
