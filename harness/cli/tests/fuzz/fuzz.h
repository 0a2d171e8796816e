// SPDX-License-Identifier: Apache-2.0
// What the fuzz targets share: input as a document, and input as a file for readers that take a
// path.

#ifndef ASSAY_HARNESS_CLI_TESTS_FUZZ_FUZZ_H
#define ASSAY_HARNESS_CLI_TESTS_FUZZ_FUZZ_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "ref/base/document.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static inline struct document_source fuzz_source(const uint8_t *data, size_t size)
{
    return (struct document_source){.name = "fuzz", .text = (const char *)data, .size = size};
}

// The path of a file in memory that holds the input; `descriptor` is to be closed.
static inline const char *fuzz_file(const uint8_t *data, size_t size, char path[64],
                                    int *descriptor)
{
    *descriptor = memfd_create("fuzz", MFD_CLOEXEC);
    if (*descriptor < 0 || write(*descriptor, data, size) != (ssize_t)size)
        abort();
    snprintf(path, 64, "/proc/self/fd/%d", *descriptor);
    return path;
}

// A folder in memory, whose name mkdtemp completes, for readers that take one; it goes with the
// process.
#define FUZZ_FOLDER "/dev/shm/assay-fuzz-XXXXXX"

static char fuzz_made[sizeof FUZZ_FOLDER];

static inline void fuzz_remove(void)
{
    char command[sizeof fuzz_made + 8];
    snprintf(command, sizeof command, "rm -r %s", fuzz_made);
    if (system(command))
        perror(fuzz_made);
}

static inline void fuzz_folder(char folder[sizeof FUZZ_FOLDER])
{
    if (!mkdtemp(folder) || atexit(fuzz_remove))
        abort();
    snprintf(fuzz_made, sizeof fuzz_made, "%s", folder);
}

static inline const char *fuzz_path(const char *folder, const char *name)
{
    static char path[sizeof FUZZ_FOLDER + 64];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static inline void fuzz_write(const char *path, const uint8_t *data, size_t size)
{
    FILE *const file = fopen(path, "w");
    if (!file || fwrite(data, 1, size, file) != size || fclose(file))
        abort();
}

#endif
