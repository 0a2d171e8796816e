// SPDX-License-Identifier: Apache-2.0
// Reading safetensors. Nothing in the file is trusted until it has been checked.

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "ref/base/json.h"
#include "vectors/safetensors.h"

enum { LENGTH_SIZE = 8 };

struct placed {
    struct safetensors_entry entry;
    uint64_t begin, end;
    const struct document_node *node;
};

static enum error read_offset(const struct document_node *node, uint64_t data_size,
                              uint64_t *offset, struct diagnostic *diagnostic)
{
    long long value = 0;
    const enum error error =
        document_integer(node, 0, (long long)data_size, &value, "an offset", diagnostic);
    *offset = (uint64_t)value;
    return error;
}

static enum error read_tensor(const struct document_node *key, const struct document_node *node,
                              uint64_t data_size, struct placed *placed,
                              struct diagnostic *diagnostic)
{
    static const char *const keys[] = {"dtype", "shape", "data_offsets", NULL};
    struct tensor *const tensor = &placed->entry.tensor;
    enum error error = document_only_keys(node, keys, "a tensor", diagnostic);
    if (error)
        return error;
    const struct document_node *const dtype = document_find(node, "dtype");
    const struct document_node *const shape = document_find(node, "shape");
    const struct document_node *const offsets = document_find(node, "data_offsets");
    if (!dtype || !shape || !offsets)
        return document_fail(node, ERROR_INPUT, diagnostic,
                             "tensor %.80s needs dtype, shape and data_offsets", key->text);
    if ((error = document_expect(dtype, DOCUMENT_SCALAR, "dtype", diagnostic)) ||
        (error = document_expect(shape, DOCUMENT_SEQUENCE, "shape", diagnostic)) ||
        (error = document_expect(offsets, DOCUMENT_SEQUENCE, "data_offsets", diagnostic)))
        return error;
    // Types of 4 and 2 bits are bytes in a file: what is read is the first type of the name, u8.
    for (enum dtype d = DTYPE_BOOL; d < DTYPE_COUNT && !tensor->dtype; d++)
        if (!strcmp(dtype_safetensors_name(d), dtype->text))
            tensor->dtype = d;
    if (!tensor->dtype)
        return document_fail(dtype, ERROR_INPUT, diagnostic, "unknown dtype '%.40s'", dtype->text);
    if (shape->count > TENSOR_RANK_MAX)
        return document_fail(shape, ERROR_INPUT, diagnostic, "more than %d dimensions",
                             TENSOR_RANK_MAX);
    for (; tensor->rank < shape->count; tensor->rank++) {
        long long size = 0;
        if ((error = document_integer(shape->item[tensor->rank], 0, INT64_MAX, &size, "a size",
                                      diagnostic)))
            return error;
        tensor->shape[tensor->rank] = (uint64_t)size;
    }
    if (offsets->count != 2)
        return document_fail(offsets, ERROR_INPUT, diagnostic,
                             "data_offsets has %zu numbers; expected 2", offsets->count);
    if ((error = read_offset(offsets->item[0], data_size, &placed->begin, diagnostic)) ||
        (error = read_offset(offsets->item[1], data_size, &placed->end, diagnostic)))
        return error;
    size_t bytes;
    if (!tensor_bytes(tensor, &bytes) || placed->begin > placed->end ||
        placed->end - placed->begin != bytes)
        return document_fail(offsets, ERROR_INPUT, diagnostic,
                             "tensor %.80s does not have the size of its shape", key->text);
    placed->entry.name = key->text;
    placed->entry.size = bytes;
    placed->node = key;
    return ERROR_NONE;
}

static int compare_places(const void *a, const void *b)
{
    const struct placed *const left = a, *const right = b;
    if (left->begin != right->begin)
        return left->begin < right->begin ? -1 : 1;
    return (left->end > right->end) - (left->end < right->end);
}

int safetensors_compare_names(const void *a, const void *b)
{
    return strcmp(((const struct safetensors_entry *)a)->name,
                  ((const struct safetensors_entry *)b)->name);
}

static bool is_pad(const char *name)
{
    const size_t length = strlen(name);
    return length > 4 && !strcmp(name + length - 4, "#pad");
}

// The header's tensors must cover the data without a hole and without an overlap.
static enum error check_cover(struct placed *placed, size_t count, uint64_t data_size,
                              const struct document_node *root, struct diagnostic *diagnostic)
{
    uint64_t at = 0;
    qsort(placed, count, sizeof *placed, compare_places);
    for (size_t i = 0; i < count; i++) {
        if (placed[i].begin != at)
            return document_fail(placed[i].node, ERROR_INPUT, diagnostic,
                                 "tensor %.80s starts at %" PRIu64
                                 ", but the one before ends at %" PRIu64,
                                 placed[i].entry.name, placed[i].begin, at);
        at = placed[i].end;
    }
    return at == data_size ? ERROR_NONE
                           : document_fail(root, ERROR_INPUT, diagnostic,
                                           "the tensors end at %" PRIu64 ", the data at %" PRIu64,
                                           at, data_size);
}

// Keeps `placed`, without the pads, in the order of names.
static enum error keep(const struct placed *placed, size_t count, const char *data,
                       struct arena *arena, struct safetensors *tensors,
                       struct diagnostic *diagnostic)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        kept += !is_pad(placed[i].entry.name);
    tensors->entry = arena_take_array(arena, kept, sizeof *tensors->entry);
    if (!tensors->entry)
        return diagnostic_no_memory(diagnostic);
    for (size_t i = 0; i < count; i++) {
        if (is_pad(placed[i].entry.name))
            continue;
        struct safetensors_entry *const to = &tensors->entry[tensors->count++];
        *to = placed[i].entry;
        to->bytes = (const unsigned char *)data + placed[i].begin;
        to->name = arena_copy_text(arena, to->name, strlen(to->name));
        if (!to->name)
            return diagnostic_no_memory(diagnostic);
    }
    qsort(tensors->entry, tensors->count, sizeof *tensors->entry, safetensors_compare_names);
    return ERROR_NONE;
}

static enum error read_header(const struct document_source *header,
                              const struct document_source *data, struct arena *scratch,
                              struct arena *arena, struct safetensors *tensors,
                              struct diagnostic *diagnostic)
{
    struct document_node *root;
    enum error error = json_read(header, scratch, &root, diagnostic);
    if (!error)
        error = document_expect(root, DOCUMENT_MAPPING, "the header", diagnostic);
    if (error)
        return error;
    struct placed *const placed = arena_take_array(scratch, root->count, sizeof *placed);
    if (!placed)
        return diagnostic_no_memory(diagnostic);
    size_t count = 0;
    for (size_t i = 0; i < root->count && !error; i++)
        if (strcmp(root->key[i]->text, "__metadata__") != 0)
            error =
                read_tensor(root->key[i], root->item[i], data->size, &placed[count++], diagnostic);
    if (!error)
        error = check_cover(placed, count, data->size, root, diagnostic);
    return error ? error : keep(placed, count, data->text, arena, tensors, diagnostic);
}

enum error safetensors_read(const struct document_source *file, struct arena *arena,
                            struct safetensors *tensors, struct diagnostic *diagnostic)
{
    *tensors = (struct safetensors){0};
    uint64_t length = 0;
    for (size_t i = 0; i < LENGTH_SIZE && i < file->size; i++)
        length |= (uint64_t)(unsigned char)file->text[i] << (8 * i);
    if (file->size < LENGTH_SIZE || length > file->size - LENGTH_SIZE)
        return diagnostic_fail(diagnostic, ERROR_INPUT,
                               "%s is not a safetensors file: its header does not fit in it",
                               file->name);
    // The tree of a header takes ten times as much as what is kept of it.
    struct arena scratch = {0};
    const struct document_source header = {
        .name = file->name, .text = file->text + LENGTH_SIZE, .size = (size_t)length};
    const struct document_source data = {.text = header.text + length,
                                         .size = file->size - LENGTH_SIZE - (size_t)length};
    const enum error error = read_header(&header, &data, &scratch, arena, tensors, diagnostic);
    arena_release(&scratch);
    return error;
}
