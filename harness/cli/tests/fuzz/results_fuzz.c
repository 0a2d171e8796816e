// SPDX-License-Identifier: Apache-2.0
// Any bytes as results.jsonl.

#include "harness/cli/tests/fuzz/fuzz.h"

#include "reports/results.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    int descriptor;
    struct results results = {0};
    struct diagnostic diagnostic;
    results_read(&results, fuzz_file(data, size, path, &descriptor), &diagnostic);
    results_release(&results);
    close(descriptor);
    return 0;
}
