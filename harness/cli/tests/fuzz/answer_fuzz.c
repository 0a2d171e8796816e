// SPDX-License-Identifier: Apache-2.0
// Any bytes as what a process target says of itself, and as its answer to a question and to a run.

#include "harness/cli/tests/fuzz/fuzz.h"

#include <fcntl.h>
#include <string.h>

#include "harness/host/target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char word[] = "fuzz";
    static char *const program[] = {word, NULL};
    static int folder = -1;
    uint32_t held[8] = {0};
    struct diagnostic diagnostic;
    struct host_tensor output = {
        .name = "output", .tensor = {.dtype = DTYPE_U32, .rank = 1, .shape = {8}, .data = held}};
    const struct host_request request = {.outputs = &output, .output_count = 1};
    struct host *const host = calloc(1, sizeof *host);
    if (!host || !(host->line = malloc(size + 1)))
        abort();
    if (folder < 0)
        folder = open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    host->options.program = program;
    memcpy(host->line, data, size);
    host->line[size] = 0;
    for (int ask = 0; ask < 2; ask++) {
        struct host_call call = {.request = &request, .ask = ask};
        program_take_answer(host, &call, size, folder);
    }
    program_take_hello(host, size, &diagnostic);
    arena_release(&host->arena);
    free(host->line);
    free(host);
    return 0;
}
