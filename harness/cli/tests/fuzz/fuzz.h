// SPDX-License-Identifier: Apache-2.0
// What the fuzz targets share: input as a document, and input as a file for readers that take a path.

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
static inline const char *fuzz_file(const uint8_t *data, size_t size, char path[64], int *descriptor)
{
    *descriptor = memfd_create("fuzz", MFD_CLOEXEC);
    if (*descriptor < 0 || write(*descriptor, data, size) != (ssize_t)size)
        abort();
    snprintf(path, 64, "/proc/self/fd/%d", *descriptor);
    return path;
}

#endif
