// SPDX-License-Identifier: Apache-2.0
// Any bytes as a list of known failures.

#include "harness/cli/tests/fuzz/fuzz.h"

#include "harness/judge/known/known.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    int descriptor;
    struct known_list list = {0};
    struct diagnostic diagnostic;
    known_read(fuzz_file(data, size, path, &descriptor), &list, &diagnostic);
    known_release(&list);
    close(descriptor);
    return 0;
}
