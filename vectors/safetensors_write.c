// SPDX-License-Identifier: Apache-2.0
// Writing safetensors: first every place, which follows from the shapes alone, then the header,
// then the data in pieces.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ref/base/bytes.h"
#include "ref/base/file.h"
#include "ref/base/json.h"
#include "ref/base/size.h"
#include "vectors/safetensors.h"

enum { PIECE_ELEMENTS = 64 * 1024 };

static enum error check_names(const struct safetensors_entry *entry, size_t count,
                              struct diagnostic *diagnostic)
{
    static const char allowed[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-/{}=";
    for (size_t i = 0; i < count; i++) {
        const char *const name = entry[i].name;
        if (!*name || strspn(name, allowed) != strlen(name))
            return diagnostic_fail(
                diagnostic, ERROR_INVALID_ARGUMENT,
                "'%.200s' cannot name a tensor: expected A-Z a-z 0-9 . _ - / { } =", name);
        if (i && !strcmp(entry[i - 1].name, name))
            return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                                   "two tensors have the name %.200s", name);
    }
    return ERROR_NONE;
}

// Key and place of one tensor, as Python's json module would write them without spaces.
static void put_place(struct text *text, const char *name, const char *suffix,
                      const struct tensor *tensor, size_t begin, size_t end)
{
    char number[64];
    const char *const first = text->size > 1 ? ",\"" : "\"";
    text_put_bytes(text, first, strlen(first));
    text_put_bytes(text, name, strlen(name));
    text_put_bytes(text, suffix, strlen(suffix));
    text_put_bytes(text, "\":{\"dtype\":\"", 12);
    text_put_bytes(text, dtype_safetensors_name(tensor->dtype),
                   strlen(dtype_safetensors_name(tensor->dtype)));
    text_put_bytes(text, "\",\"shape\":[", 11);
    for (unsigned i = 0; i < tensor->rank; i++) {
        snprintf(number, sizeof number, "%s%llu", i ? "," : "",
                 (unsigned long long)tensor->shape[i]);
        text_put_bytes(text, number, strlen(number));
    }
    snprintf(number, sizeof number, "],\"data_offsets\":[%zu,%zu]}", begin, end);
    text_put_bytes(text, number, strlen(number));
}

static enum error put_header(struct file_replacement *file, const struct safetensors_entry *entry,
                             size_t count, struct diagnostic *diagnostic)
{
    struct text text = {0};
    size_t at = 0;
    bool fits = true;
    text_put_bytes(&text, "{", 1);
    for (size_t i = 0; i < count && fits; i++) {
        size_t end, padded;
        fits =
            size_add(at, entry[i].size, &end) && size_round_up(end, SAFETENSORS_ALIGNMENT, &padded);
        if (!fits)
            break;
        put_place(&text, entry[i].name, "", &entry[i].tensor, at, end);
        if (padded != end)
            put_place(&text, entry[i].name, "#pad",
                      &(struct tensor){.dtype = DTYPE_U8, .rank = 1, .shape = {padded - end}}, end,
                      padded);
        at = padded;
    }
    text_put_bytes(&text, "}", 1);
    while (!text.failed && (text.size + 8) % SAFETENSORS_ALIGNMENT)
        text_put_bytes(&text, " ", 1);
    enum error error =
        fits ? ERROR_NONE
             : diagnostic_fail(diagnostic, ERROR_TOO_LARGE, "the tensors do not fit in a file");
    if (!error && text.failed)
        error = diagnostic_no_memory(diagnostic);
    unsigned char length[8];
    for (size_t i = 0; i < sizeof length; i++)
        length[i] = (unsigned char)((uint64_t)text.size >> (8 * i));
    if (!error)
        error = file_put(file, length, sizeof length, diagnostic);
    if (!error)
        error = file_put(file, text.bytes, text.size, diagnostic);
    text_release(&text);
    return error;
}

static enum error put_streamed(struct file_replacement *file, const struct safetensors_entry *entry,
                               struct diagnostic *diagnostic)
{
    const size_t size = dtype_size(entry->tensor.dtype);
    unsigned char *const native = malloc(2 * PIECE_ELEMENTS * size);
    if (!native)
        return diagnostic_no_memory(diagnostic);
    unsigned char *const little = native + PIECE_ELEMENTS * size;
    enum error error = ERROR_NONE;
    for (uint64_t first = 0, total = entry->size / size; first < total && !error;
         first += PIECE_ELEMENTS) {
        const size_t count =
            total - first < PIECE_ELEMENTS ? (size_t)(total - first) : PIECE_ELEMENTS;
        error = entry->source(entry->context, first, count, native, diagnostic);
        if (error)
            break;
        bytes_copy_little_endian(little, native, size, count);
        error = file_put(file, little, count * size, diagnostic);
    }
    free(native);
    return error;
}

static enum error put_data(struct file_replacement *file, const struct safetensors_entry *entry,
                           struct diagnostic *diagnostic)
{
    static const unsigned char zeros[SAFETENSORS_ALIGNMENT];
    enum error error = entry->bytes ? file_put(file, entry->bytes, entry->size, diagnostic)
                                    : put_streamed(file, entry, diagnostic);
    const size_t beyond = entry->size % SAFETENSORS_ALIGNMENT;
    if (!error && beyond)
        error = file_put(file, zeros, SAFETENSORS_ALIGNMENT - beyond, diagnostic);
    return error;
}

enum error safetensors_write(const char *path, struct safetensors_entry *entry, size_t count,
                             struct diagnostic *diagnostic)
{
    qsort(entry, count, sizeof *entry, safetensors_compare_names);
    enum error error = check_names(entry, count, diagnostic);
    for (size_t i = 0; i < count && !error; i++)
        if (!tensor_bytes(&entry[i].tensor, &entry[i].size))
            error = diagnostic_fail(diagnostic, ERROR_TOO_LARGE,
                                    "tensor %.200s does not fit in memory", entry[i].name);
    if (error)
        return error;
    struct file_replacement file;
    if ((error = file_replace(&file, path, diagnostic)))
        return error;
    error = put_header(&file, entry, count, diagnostic);
    for (size_t i = 0; i < count && !error; i++)
        error = put_data(&file, &entry[i], diagnostic);
    if (!error)
        return file_commit(&file, diagnostic);
    file_abandon(&file);
    return error;
}
