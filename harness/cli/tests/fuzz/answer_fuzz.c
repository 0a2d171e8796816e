// SPDX-License-Identifier: Apache-2.0
// Any bytes as the answer of a process target.

#include "harness/cli/tests/fuzz/fuzz.h"

#include <fcntl.h>

#include "harness/host/program_json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena = {.limit = 64 << 20};
    struct diagnostic diagnostic;
    const struct document_source source = fuzz_source(data, size);
    struct document_node *root;
    uint32_t held[8] = {0};
    struct host_tensor output = {.name = "output", .tensor = {.dtype = DTYPE_U32, .rank = 1, .shape = {8}, .data = held}};
    const struct host_request request = {.outputs = &output, .output_count = 1};
    static int folder = -1;
    if (folder < 0)
        folder = open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (!json_read(&source, &arena, &root, &diagnostic))
        program_take_outputs(root, &request, folder, &diagnostic);
    arena_release(&arena);
    return 0;
}
