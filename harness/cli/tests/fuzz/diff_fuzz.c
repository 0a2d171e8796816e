// SPDX-License-Identifier: Apache-2.0
// Any bytes as results.jsonl that are compared with others, and in which a case is looked up.

#include "harness/cli/tests/fuzz/fuzz.h"

#include "harness/judge/write/results_case.h"
#include "harness/judge/write/results_diff.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char sound[] = "harness/cli/tests/fuzz/seeds/results/philox";
    char path[64];
    int descriptor;
    struct results_diff diff = {0};
    struct diagnostic diagnostic;
    struct arena arena = {.limit = 64 << 20};
    struct results_case found;
    fuzz_file(data, size, path, &descriptor);
    results_diff(path, sound, &diff, &diagnostic);
    results_diff_release(&diff);
    diff = (struct results_diff){0};
    results_diff(sound, path, &diff, &diagnostic);
    results_diff_release(&diff);
    results_find_case(path, "n-10", NULL, NULL, &arena, &found, &diagnostic);
    arena_release(&arena);
    close(descriptor);
    return 0;
}
