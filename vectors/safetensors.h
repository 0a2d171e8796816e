// SPDX-License-Identifier: Apache-2.0
// Files of tensors in the safetensors format, written in one canonical form and read with
// suspicion.
//
// The format: 8 bytes of length (little-endian), a JSON header that gives each tensor's dtype,
// shape and place, then the data. Canonical here: names in byte order, the header padded with
// spaces so that the data starts at a multiple of 8 in the file, each tensor at a multiple of 8 in
// the data, as the largest elements need it. Since other readers refuse holes, what lies between is
// a tensor too: U8, of zeros, named NAME#pad, which sorts right behind NAME. No metadata, no time.

#ifndef ASSAY_VECTORS_SAFETENSORS_H
#define ASSAY_VECTORS_SAFETENSORS_H

#include "ref/base/arena.h"
#include "ref/base/document.h"
#include "ref/base/error.h"
#include "ref/base/tensor.h"

enum { SAFETENSORS_ALIGNMENT = 8 };

// Makes elements [first, first + count) of a tensor, native, at `out`.
typedef enum error (*safetensors_source)(void *context, uint64_t first, uint64_t count, void *out,
                                         struct diagnostic *diagnostic);

struct safetensors_entry {
    const char *name;
    struct tensor tensor;       // `data` is not used
    const unsigned char *bytes; // little-endian; NULL when writing from `source`
    size_t size;                // of the data
    safetensors_source source;  // writing only: where there are no `bytes`
    void *context;
};

struct safetensors {
    struct safetensors_entry *entry; // by name, without the pads
    size_t count;
};

// Reads `file`, whose bytes stay where they are and must live as long. ERROR_INPUT for anything but
// a well-formed file: lengths and offsets beyond the file, holes, overlaps, sizes that do not fit
// their shape, unknown dtypes, repeated names. Files of others need not be canonical; metadata is
// skipped.
enum error safetensors_read(const struct document_source *file, struct arena *arena,
                            struct safetensors *tensors, struct diagnostic *diagnostic);

// Replaces the file at `path` by the entries, which are sorted in place. Names are made of A-Z a-z
// 0-9 . _ - / { } = and no two are alike (ERROR_INVALID_ARGUMENT). Tensors with a source are
// streamed, so that memory does not grow with their size.
enum error safetensors_write(const char *path, struct safetensors_entry *entry, size_t count,
                             struct diagnostic *diagnostic);

// Entries in the order of their names, for qsort.
int safetensors_compare_names(const void *a, const void *b);

#endif
