// SPDX-License-Identifier: Apache-2.0
// Any bytes as SHA256SUMS, and as the list of changes beside it.

#include "harness/cli/tests/fuzz/fuzz.h"

#include "vectors/sums.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char folder[] = FUZZ_FOLDER, sums[64], changes[64];
    struct diagnostic diagnostic;
    if (!sums[0]) {
        fuzz_folder(folder);
        snprintf(sums, sizeof sums, "%s/SHA256SUMS", folder);
        snprintf(changes, sizeof changes, "%s/CHANGES", folder);
        fuzz_write(fuzz_path(folder, "small.jsonl"), (const uint8_t *)"{}\n", 3);
        fuzz_write(fuzz_path(folder, "small.safetensors"), (const uint8_t *)"", 0);
    }
    const struct change change = {.suite = "small",
                                  .version = "1.0.0",
                                  .what = "changed",
                                  .id = "n-10",
                                  .reason = "it was wrong"};
    fuzz_write(sums, data, size);
    fuzz_write(changes, data, size);
    sums_check(folder, "small", &diagnostic);
    changes_check(folder, changes, &diagnostic);
    changes_check_new_id(changes, "small", "n-10", &diagnostic);
    if (!sums_update(folder, "small", &diagnostic) && sums_check(folder, "small", &diagnostic))
        abort(); // what it has just written
    changes_append(folder, changes, &change, 1, &diagnostic);
    return 0;
}
