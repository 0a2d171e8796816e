// SPDX-License-Identifier: Apache-2.0
// Any bytes as a line of `assay serve`. What it only evaluates is left out, since a few bytes ask
// for as much work as one likes.

#include "harness/cli/tests/fuzz/fuzz.h"

#include <string.h>

#include "harness/cli/serve/serve.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct serve_suites suites;
    struct text text = {0};
    if (memmem(data, size, "eval", 4) || memmem(data, size, "tolerance", 9))
        return 0;
    serve_line(&suites, (const char *)data, size, &text);
    text_release(&text);
    return 0;
}
