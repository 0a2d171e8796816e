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
#include "ref/base/size.h"

enum { TENSOR_FILE_HEADER_MAX = 1 << 20 };

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
    json_put_pair(header, "dtype", dtype_safetensors_name(tensor->dtype));
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
    if (!tensor->dtype || !tensor_bytes(tensor, &bytes))
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

// First and last byte, and one more, of a tensor in the data of the file.
static enum error take_range(const struct document_node *entry, const char *name,
                             long long range[2], struct diagnostic *diagnostic)
{
    const struct document_node *const offsets =
        entry->kind == DOCUMENT_MAPPING ? document_find(entry, "data_offsets") : NULL;
    if (!offsets || offsets->kind != DOCUMENT_SEQUENCE || offsets->count != 2)
        return diagnostic_fail(diagnostic, ERROR_INPUT, "'%s' in the file has no data_offsets",
                               name);
    enum error error = ERROR_NONE;
    for (int i = 0; i < 2 && !error; i++)
        error = document_integer(offsets->item[i], 0, (long long)INT64_MAX / 2, &range[i],
                                 "data_offsets", diagnostic);
    return error;
}

// The data end with the last of the tensors.
static enum error check_end(const struct document_node *root, uint64_t data,
                            struct diagnostic *diagnostic)
{
    long long last = 0, range[2] = {0, 0};
    for (size_t i = 0; i < root->count; i++) {
        if (!strcmp(root->key[i]->text, "__metadata__"))
            continue;
        const enum error error = take_range(root->item[i], root->key[i]->text, range, diagnostic);
        if (error)
            return error;
        last = range[1] > last ? range[1] : last;
    }
    if (data == (uint64_t)last)
        return ERROR_NONE;
    return diagnostic_fail(diagnostic, ERROR_INPUT,
                           "the file has %llu bytes of data; its header speaks of %lld",
                           (unsigned long long)data, last);
}

static bool has_shape(const struct document_node *entry, const struct tensor *wanted,
                      uint64_t window)
{
    const struct document_node *const shape = document_find(entry, "shape");
    size_t count = 1;
    bool same =
        shape && shape->kind == DOCUMENT_SEQUENCE && (window || shape->count == wanted->rank);
    for (size_t d = 0; same && d < shape->count; d++) {
        long long extent = 0;
        same = !document_integer(shape->item[d], 0, (long long)INT64_MAX, &extent, "shape", NULL) &&
               (window ? size_multiply(count, (uint64_t)extent, &count)
                       : (uint64_t)extent == wanted->shape[d]);
    }
    return same && (!window || count == window);
}

// The tensor's place in the file, as its header says.
static enum error find_data(const struct document_node *root, const char *name,
                            const struct tensor *wanted, uint64_t window, size_t bytes,
                            uint64_t *begin, struct diagnostic *diagnostic)
{
    const enum dtype dtype = wanted->dtype;
    long long range[2] = {0, 0};
    if (root->kind != DOCUMENT_MAPPING)
        return diagnostic_fail(diagnostic, ERROR_INPUT, "the header is not an object");
    const struct document_node *const entry = document_find(root, name);
    if (!entry || entry->kind != DOCUMENT_MAPPING)
        return diagnostic_fail(diagnostic, ERROR_INPUT, "the file has no tensor '%s'", name);
    const struct document_node *const type = document_find(entry, "dtype");
    if (!type || type->kind != DOCUMENT_SCALAR ||
        strcmp(type->text, dtype_safetensors_name(dtype)) != 0)
        return diagnostic_fail(diagnostic, ERROR_INPUT, "'%s' in the file is not of type %s", name,
                               dtype_safetensors_name(dtype));
    if (!has_shape(entry, wanted, window))
        return diagnostic_fail(diagnostic, ERROR_INPUT, "'%s' in the file has another shape", name);
    const enum error error = take_range(entry, name, range, diagnostic);
    if (error)
        return error;
    if (range[1] < range[0] || (uint64_t)(range[1] - range[0]) != bytes)
        return diagnostic_fail(diagnostic, ERROR_INPUT,
                               "'%s' in the file has %lld bytes; expected %zu", name,
                               range[1] - range[0], bytes);
    *begin = (uint64_t)range[0];
    return ERROR_NONE;
}

static enum error read_open(int file, const char *name, const struct tensor *wanted,
                            uint64_t window, struct diagnostic *diagnostic)
{
    uint64_t stored = 0, length = 0, begin = 0, count = window;
    struct stat status;
    if (fstat(file, &status) || !S_ISREG(status.st_mode) ||
        !read_at(file, &stored, sizeof stored, 0) || (!window && !tensor_count(wanted, &count)))
        return diagnostic_fail(diagnostic, ERROR_INPUT, "not a safetensors file");
    bytes_copy_little_endian(&length, &stored, sizeof length, 1);
    if (length > TENSOR_FILE_HEADER_MAX)
        return diagnostic_fail(diagnostic, ERROR_INPUT,
                               "the header has %llu bytes; at most %d are read",
                               (unsigned long long)length, TENSOR_FILE_HEADER_MAX);
    struct arena arena = {0};
    char *const text = arena_take(&arena, (size_t)length + 1);
    const size_t size = dtype_size(wanted->dtype), bytes = (size_t)count * size;
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
        error = find_data(root, name, wanted, window, bytes, &begin, diagnostic);
    if (!error)
        error = check_end(root, (uint64_t)status.st_size - sizeof stored - length, diagnostic);
    void *const raw = error ? NULL : arena_take(&arena, bytes);
    if (!error && (!raw || !read_at(file, raw, bytes, sizeof stored + length + begin)))
        error =
            diagnostic_fail(diagnostic, ERROR_INPUT, "the file is shorter than its header says");
    if (!error)
        bytes_copy_little_endian(wanted->data, raw, size, count);
    arena_release(&arena);
    return error;
}

enum error tensor_file_read(int directory, const char *file, const char *name,
                            const struct tensor *wanted, uint64_t window,
                            struct diagnostic *diagnostic)
{
    if (strchr(file, '/') || !strcmp(file, "..") || !file[0])
        return diagnostic_fail(diagnostic, ERROR_INPUT,
                               "'%s' is not the name of a file in the directory", file);
    const int in = openat(directory, file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (in < 0)
        return diagnostic_fail(diagnostic, ERROR_INPUT, "cannot open '%s': %s", file,
                               strerror(errno));
    const enum error error = read_open(in, name, wanted, window, diagnostic);
    close(in);
    return error;
}
