// SPDX-License-Identifier: Apache-2.0
// Any bytes as the manifest of golden vectors beside sound tensors, and as the tensors beside a sound manifest; what is read is
// held against the sound vectors.

#include "harness/cli/tests/fuzz/fuzz.h"

#include <string.h>

#include "ref/base/file.h"
#include "vectors/golden.h"

static char folder[] = "/dev/shm/assay-fuzz-XXXXXX";
static struct golden sound;
static struct document_source manifest, tensors;
static struct arena kept;

static void remove_files(void)
{
    char path[128];
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/small.%s", folder, i ? "jsonl" : "safetensors");
        unlink(path);
    }
    rmdir(folder);
}

static void write_file(const char *name, const void *bytes, size_t size)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *const file = fopen(path, "wb");
    if (!file || fwrite(bytes, 1, size, file) != size || fclose(file))
        abort();
}

static void prepare(void)
{
    static struct suite suite;
    struct diagnostic diagnostic;
    char path[128];
    if (suite_read("harness/cli/tests/fuzz/seeds/suite/small.yaml", &suite, &diagnostic) ||
        golden_make(&suite, false, 1, &sound, &diagnostic) || !mkdtemp(folder) || golden_write(folder, &sound, &diagnostic))
        abort();
    atexit(remove_files);
    snprintf(path, sizeof path, "%s/small.jsonl", folder);
    if (file_read(path, &kept, &manifest, &diagnostic))
        abort();
    snprintf(path, sizeof path, "%s/small.safetensors", folder);
    if (file_read(path, &kept, &tensors, &diagnostic))
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
    write_file("small.jsonl", as_tensors ? manifest.text : (const char *)data, as_tensors ? manifest.size : size);
    write_file("small.safetensors", as_tensors ? (const char *)data : tensors.text, as_tensors ? size : tensors.size);
    const enum error error = golden_read(folder, "small", &golden, &diagnostic);
    // Whatever is read as sound and equal is the sound file, spaces and unread words of the manifest apart.
    if (!error && !golden_compare(&sound, &golden, difference, 4) && golden.count != sound.count)
        abort();
    golden_release(&golden);
    return 0;
}
