// SPDX-License-Identifier: Apache-2.0
// Any bytes as tests of others.

#include "harness/cli/tests/fuzz/fuzz.h"

#include "harness/cli/score/scoring.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    int descriptor;
    struct scoring scoring = {.count = 0};
    struct diagnostic diagnostic;
    scoring_read(fuzz_file(data, size, path, &descriptor), &scoring, &diagnostic);
    arena_release(&scoring.arena);
    close(descriptor);
    return 0;
}
