// SPDX-License-Identifier: Apache-2.0
// Any bytes as results.jsonl: read and counted, as reports do.

#include "harness/cli/tests/fuzz/fuzz.h"

#include "reports/results.h"
#include "reports/tally.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    int descriptor;
    struct results results = {0};
    struct diagnostic diagnostic;
    struct tally tally = {0};
    if (!results_read(&results, fuzz_file(data, size, path, &descriptor), &diagnostic))
        tally_count(&tally, &results, &diagnostic);
    tally_release(&tally);
    results_release(&results);
    close(descriptor);
    return 0;
}
