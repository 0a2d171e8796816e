// SPDX-License-Identifier: Apache-2.0
// Any bytes as a suite.

#include "harness/cli/tests/fuzz/fuzz.h"

#include "yaml/suite.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    int descriptor;
    struct suite suite = {0};
    struct diagnostic diagnostic;
    suite_read(fuzz_file(data, size, path, &descriptor), &suite, &diagnostic);
    suite_release(&suite);
    close(descriptor);
    return 0;
}
