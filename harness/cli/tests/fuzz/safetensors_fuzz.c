// SPDX-License-Identifier: Apache-2.0
// Any bytes as a safetensors file; every byte that it claims to have is read.

#include "harness/cli/tests/fuzz/fuzz.h"

#include "vectors/safetensors.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena = {.limit = 64 << 20};
    struct diagnostic diagnostic;
    const struct document_source source = fuzz_source(data, size);
    struct safetensors tensors;
    unsigned sum = 0;
    if (!safetensors_read(&source, &arena, &tensors, &diagnostic))
        for (size_t i = 0; i < tensors.count; i++)
            for (size_t k = 0; k < tensors.entry[i].size; k++)
                sum += tensors.entry[i].bytes[k];
    arena_release(&arena);
    return sum == 1 && !data;
}
