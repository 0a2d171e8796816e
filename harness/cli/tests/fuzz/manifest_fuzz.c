// SPDX-License-Identifier: Apache-2.0
// Any bytes as the manifest of golden vectors beside sound tensors, and as the tensors beside a
// sound manifest; what is read is held against the sound vectors.

#include "harness/cli/tests/fuzz/fuzz.h"

#include "ref/base/file.h"
#include "vectors/golden_shard.h"

static char folder[] = FUZZ_FOLDER;
static struct golden sound;
static struct document_source manifest, tensors;
static struct arena kept;

static void prepare(void)
{
    static struct suite suite;
    struct diagnostic diagnostic;
    struct golden_making making = {.suite = &suite};
    if (suite_read("harness/cli/tests/fuzz/seeds/suite/small.yaml", &suite, &diagnostic))
        abort();
    golden_make(&making, 1, false, 1, 1, 1);
    if (making.error)
        abort();
    sound = making.golden;
    fuzz_folder(folder);
    if (golden_write(folder, &sound, &diagnostic) ||
        file_read(fuzz_path(folder, "small.jsonl"), &kept, &manifest, &diagnostic) ||
        file_read(fuzz_path(folder, "small.safetensors"), &kept, &tensors, &diagnostic))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct golden_difference difference[4];
    struct diagnostic diagnostic;
    struct golden golden = {0};
    if (!sound.count)
        prepare();
    const int as_tensors = size && data[0] != '{';
    const struct document_source input = fuzz_source(data, size),
                                 *const first = as_tensors ? &manifest : &input,
                                 *const second = as_tensors ? &input : &tensors;
    fuzz_write(fuzz_path(folder, "small.jsonl"), (const uint8_t *)first->text, first->size);
    fuzz_write(fuzz_path(folder, "small.safetensors"), (const uint8_t *)second->text, second->size);
    const enum error error = golden_read(folder, "small", &golden, &diagnostic);
    // Whatever is read as sound and equal is the sound file, spaces and unread words of the
    // manifest apart.
    if (!error && !golden_compare(&sound, &golden, difference, 4) && golden.count != sound.count)
        abort();
    golden_release(&golden);
    return 0;
}
