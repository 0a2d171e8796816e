// SPDX-License-Identifier: Apache-2.0
// Only what the exchange with a process target needs; golden files have a reader of their own.

#define _GNU_SOURCE
#include "harness/host/tensor_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ref/base/bytes.h"
#include "ref/base/file.h"
#include "ref/base/json.h"

enum { TENSOR_FILE_HEADER_MAX = 1 << 20 };

static const char *const type_names[DTYPE_COUNT] = {
    [DTYPE_BOOL] = "BOOL", [DTYPE_I8] = "I8",   [DTYPE_I16] = "I16",   [DTYPE_I32] = "I32",
    [DTYPE_I64] = "I64",   [DTYPE_U8] = "U8",   [DTYPE_U16] = "U16",   [DTYPE_U32] = "U32",
    [DTYPE_U64] = "U64",   [DTYPE_F16] = "F16", [DTYPE_BF16] = "BF16", [DTYPE_F32] = "F32",
    [DTYPE_F64] = "F64",
};

static bool read_at(int file, void *bytes, size_t size, uint64_t offset)
{
    size_t got;
    return file_take(file, offset, bytes, size, &got) && got == size;
}

static void put_header(struct text *header, const char *name, const struct tensor *tensor,
                       size_t bytes)
{
    json_begin_object(header);
    json_begin_object_at(header, name);
    json_put_pair(header, "dtype", type_names[tensor->dtype]);
    json_put_numbers_at(header, "shape", tensor->shape, tensor->rank);
    json_put_numbers_at(header, "data_offsets", (const uint64_t[]){0, bytes}, 2);
    json_end_object(header);
    json_end_object(header);
    while (header->size % 8 && !header->failed)
        text_put_bytes(header, " ", 1);
}

enum error tensor_file_write(int directory, const char *file, const char *name,
                             const struct tensor *tensor, struct diagnostic *diagnostic)
{
    size_t bytes = 0;
    if (!type_names[tensor->dtype] || !tensor_bytes(tensor, &bytes))
        return diagnostic_fail(diagnostic, ERROR_UNSUPPORTED,
                               "safetensors has no type for this tensor");
    struct text header = {0};
    put_header(&header, name, tensor, bytes);
    const size_t size = dtype_size(tensor->dtype);
    void *const data = malloc(bytes + 1);
    const int out = openat(directory, file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    const uint64_t length = header.size;
    uint64_t stored = 0;
    bytes_copy_little_endian(&stored, &length, sizeof length, 1);
    bool well = out >= 0 && data && !header.failed && file_give(out, &stored, sizeof stored) &&
                file_give(out, header.bytes, header.size);
    if (well) {
        bytes_copy_little_endian(data, tensor->data, size, bytes / size);
        well = file_give(out, data, bytes);
    }
    if (out >= 0 && close(out))
        well = false;
    free(data);
    text_release(&header);
    return well ? ERROR_NONE
                : diagnostic_fail(diagnostic, ERROR_SYSTEM, "cannot write %s: %s", file,
                                  strerror(errno));
}

// The tensor's place in the file, as its header says.
static enum error find_data(const struct document_node *root, const char *name, enum dtype dtype,
                            size_t bytes, uint64_t *begin, struct diagnostic *diagnostic)
{
    if (root->kind != DOCUMENT_MAPPING)
        return diagnostic_fail(diagnostic, ERROR_INPUT, "the header is not an object");
    const struct document_node *const entry = document_find(root, name);
    if (!entry || entry->kind != DOCUMENT_MAPPING)
        return diagnostic_fail(diagnostic, ERROR_INPUT, "the file has no tensor '%s'", name);
    const struct document_node *const type = document_find(entry, "dtype"), *const offsets =
                                                                                document_find(
                                                                                    entry,
                                                                                    "data_offsets");
    if (!type || type->kind != DOCUMENT_SCALAR || strcmp(type->text, type_names[dtype]) != 0)
        return diagnostic_fail(diagnostic, ERROR_INPUT, "'%s' in the file is not of type %s", name,
                               type_names[dtype]);
    if (!offsets || offsets->kind != DOCUMENT_SEQUENCE || offsets->count != 2)
        return diagnostic_fail(diagnostic, ERROR_INPUT, "'%s' in the file has no data_offsets",
                               name);
    long long range[2] = {0, 0};
    for (int i = 0; i < 2; i++) {
        const enum error error = document_integer(offsets->item[i], 0, (long long)INT64_MAX / 2,
                                                  &range[i], "data_offsets", diagnostic);
        if (error)
            return error;
    }
    if (range[1] < range[0] || (uint64_t)(range[1] - range[0]) != bytes)
        return diagnostic_fail(diagnostic, ERROR_INPUT,
                               "'%s' in the file has %lld bytes; expected %zu", name,
                               range[1] - range[0], bytes);
    *begin = (uint64_t)range[0];
    return ERROR_NONE;
}

static enum error read_open(int file, const char *name, enum dtype dtype, uint64_t count,
                            void *data, struct diagnostic *diagnostic)
{
    uint64_t stored = 0, length = 0, begin = 0;
    struct stat status;
    if (fstat(file, &status) || !S_ISREG(status.st_mode) ||
        !read_at(file, &stored, sizeof stored, 0))
        return diagnostic_fail(diagnostic, ERROR_INPUT, "not a safetensors file");
    bytes_copy_little_endian(&length, &stored, sizeof length, 1);
    if (length > TENSOR_FILE_HEADER_MAX)
        return diagnostic_fail(diagnostic, ERROR_INPUT,
                               "the header has %llu bytes; at most %d are read",
                               (unsigned long long)length, TENSOR_FILE_HEADER_MAX);
    struct arena arena = {0};
    char *const text = arena_take(&arena, (size_t)length + 1);
    const size_t size = dtype_size(dtype), bytes = (size_t)count * size;
    struct document_node *root = NULL;
    const struct document_source source = {
        .name = "safetensors header", .text = text, .size = (size_t)length};
    enum error error = ERROR_NONE;
    if (!text || !read_at(file, text, (size_t)length, sizeof stored))
        error =
            diagnostic_fail(diagnostic, ERROR_INPUT, "the file is shorter than its header says");
    if (!error)
        error = json_read(&source, &arena, &root, diagnostic);
    if (!error)
        error = find_data(root, name, dtype, bytes, &begin, diagnostic);
    void *const raw = error ? NULL : arena_take(&arena, bytes);
    if (!error && (!raw || !read_at(file, raw, bytes, sizeof stored + length + begin)))
        error =
            diagnostic_fail(diagnostic, ERROR_INPUT, "the file is shorter than its header says");
    if (!error)
        bytes_copy_little_endian(data, raw, size, count);
    arena_release(&arena);
    return error;
}

enum error tensor_file_read(int directory, const char *file, const char *name, enum dtype dtype,
                            uint64_t count, void *data, struct diagnostic *diagnostic)
{
    if (strchr(file, '/') || !strcmp(file, "..") || !file[0])
        return diagnostic_fail(diagnostic, ERROR_INPUT,
                               "'%s' is not the name of a file in the directory", file);
    const int in = openat(directory, file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (in < 0)
        return diagnostic_fail(diagnostic, ERROR_INPUT, "cannot open '%s': %s", file,
                               strerror(errno));
    const enum error error = read_open(in, name, dtype, count, data, diagnostic);
    close(in);
    return error;
}
