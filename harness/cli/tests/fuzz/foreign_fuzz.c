// SPDX-License-Identifier: Apache-2.0
// Values in formats of others: the first byte says which, what follows up to a line end are the
// meanings of columns, the rest is the file. Cases that are read are written as a suite, which must
// be one that the reader of suites takes, or refuses in an orderly way.

#include "harness/cli/tests/fuzz/fuzz.h"

#include <string.h>

#include "vectors/foreign/foreign.h"
#include "yaml/suite.h"

static void write_suite(const struct foreign *foreign, const char *folder)
{
    const struct foreign_suite suite = {.name = "small",
                                        .title = "fuzz",
                                        .origin = "fuzz",
                                        .origin_sha256 = "0",
                                        .tolerance = "ulps=2",
                                        .folder = folder};
    struct suite read = {0};
    struct diagnostic diagnostic;
    char yaml[sizeof FUZZ_FOLDER + 64], tensors[sizeof FUZZ_FOLDER + 64];
    snprintf(yaml, sizeof yaml, "%s/small.yaml", folder);
    snprintf(tensors, sizeof tensors, "%s/small.safetensors", folder);
    if (!foreign_write(foreign, &suite, &diagnostic))
        suite_read(yaml, &read, &diagnostic);
    suite_release(&read);
    unlink(yaml);
    unlink(tensors);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char folder[] = FUZZ_FOLDER;
    static bool made;
    const char *const line = memchr(data, '\n', size);
    if (!made)
        fuzz_folder(folder);
    made = true;
    if (!line || !size)
        return 0;
    char columns[512];
    const size_t head = (size_t)(line - (const char *)data);
    snprintf(columns, sizeof columns, "%.*s", (int)(head ? head - 1 : 0), (const char *)data + 1);
    const struct document_source source = fuzz_source((const uint8_t *)line + 1, size - head - 1);
    const struct foreign_words words = {.op = "acme.f", .columns = columns[0] ? columns : NULL};
    struct foreign foreign = {.arena = {.limit = 64 << 20}};
    struct diagnostic diagnostic = {.text = ""};
    enum error error;
    switch (data[0]) {
    case 'c':
        error = foreign_read_csv(&source, "x", &words, &foreign, &diagnostic);
        break;
    case 'g':
        error = foreign_read_groups(&source, "x", &words, &foreign, &diagnostic);
        break;
    case 's':
        error = foreign_read_safetensors(&source, "x", &words, &foreign, &diagnostic);
        break;
    default:
        error = foreign_read_lines(&source, folder, &words, &foreign, &diagnostic);
    }
    if (!error)
        write_suite(&foreign, folder);
    foreign_release(&foreign);
    return 0;
}
