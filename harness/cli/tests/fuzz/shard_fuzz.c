// SPDX-License-Identifier: Apache-2.0
// Any bytes as a part of a job, and as the payload of a part that holds golden vectors.

#include "harness/cli/tests/fuzz/fuzz.h"

#include "ref/base/shard/shard_file.h"
#include "vectors/golden_shard.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    int descriptor;
    struct arena arena = {.limit = 64 << 20};
    struct diagnostic diagnostic;
    struct shard_file file;
    struct golden golden = {0};
    struct shard_reader reader = {.at = data, .end = data + size};
    shard_file_read(fuzz_file(data, size, path, &descriptor), true, &arena, &file, &diagnostic);
    if (!golden_take(&reader, &golden, &diagnostic))
        golden_join(&golden, &diagnostic);
    golden_release(&golden);
    arena_release(&arena);
    close(descriptor);
    return 0;
}
