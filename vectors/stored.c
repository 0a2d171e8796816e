// SPDX-License-Identifier: Apache-2.0
#include "vectors/stored.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ref/base/bytes.h"
#include "ref/base/digest_file.h"
#include "ref/base/file.h"
#include "vectors/safetensors.h"
#include "vectors/sums.h"

// A file's path, which is seen from the suite's folder.
static const char *beside(const struct suite *suite, const char *file, struct arena *arena)
{
    return arena_print(arena, "%.*s%s", (int)(file_name(suite->path) - suite->path), suite->path,
                       file);
}

// The tensor of an entry in native bytes.
static enum error take_tensor(struct suite *suite, const char *path,
                              const struct safetensors_entry *entry, struct tensor *tensor,
                              struct diagnostic *diagnostic)
{
    const size_t size = dtype_size(entry->tensor.dtype);
    *tensor = entry->tensor;
    tensor->data = arena_take(&suite->arena, entry->size ? entry->size : 1);
    if (!tensor->data)
        return diagnostic_no_memory(diagnostic);
    bytes_copy_little_endian(tensor->data, entry->bytes, size, entry->size / size);
    for (size_t i = 0; tensor->dtype == DTYPE_BOOL && i < entry->size; i++)
        if (entry->bytes[i] > dtype_last_code(tensor->dtype))
            return diagnostic_fail(diagnostic, ERROR_INPUT,
                                   "%.300s: tensor %.100s: a bool is 0 or 1", path, entry->name);
    return ERROR_NONE;
}

// Adds all tensors of a file; `file` is how the suite names it.
static enum error take_file(struct suite *suite, const char *path, const char *file,
                            const char *sha256, struct diagnostic *diagnostic)
{
    struct document_source *const source = arena_take(&suite->arena, sizeof *source);
    struct safetensors tensors;
    unsigned char digest[DIGEST_SIZE];
    char hex[DIGEST_HEX_SIZE];
    if (!path || !source)
        return diagnostic_no_memory(diagnostic);
    enum error error = file_read(path, &suite->arena, source, diagnostic);
    if (!error)
        error = digest_of(source->text, source->size, digest, diagnostic);
    if (error)
        return error;
    digest_write_hex(digest, hex);
    if (sha256 && strcmp(hex, sha256) != 0)
        return diagnostic_fail(diagnostic, ERROR_INPUT,
                               "%.300s is not the file that suite %.100s names: its SHA-256 is %s, "
                               "the suite says %s",
                               path, suite->name, hex, sha256);
    if ((error = safetensors_read(source, &suite->arena, &tensors, diagnostic)))
        return error;
    struct suite_tensor *const all =
        arena_take_array(&suite->arena, suite->tensor_count + tensors.count + 1, sizeof *all);
    if (!all)
        return diagnostic_no_memory(diagnostic);
    if (suite->tensor_count)
        memcpy(all, suite->tensor, suite->tensor_count * sizeof *all);
    suite->tensor = all;
    for (size_t i = 0; i < tensors.count && !error; i++) {
        struct suite_tensor *const to = &all[suite->tensor_count++];
        *to = (struct suite_tensor){.file = file, .name = tensors.entry[i].name};
        error = take_tensor(suite, path, &tensors.entry[i], &to->tensor, diagnostic);
    }
    return error;
}

// The answers of the program, as they are kept. Where they are not, or are not what SHA256SUMS
// says, only a command that needs one fails: emit makes them anew.
static enum error take_vectors(struct suite *suite, const char *folder,
                               struct diagnostic *diagnostic)
{
    struct diagnostic why;
    const size_t before = suite->tensor_count;
    const char *const path = arena_print(&suite->arena, "%s/%s.safetensors", folder, suite->name);
    if (!path)
        return diagnostic_no_memory(diagnostic);
    if (access(path, F_OK)) {
        suite->unasked = arena_print(&suite->arena,
                                     "the program of suite %s was not asked yet: assay emit "
                                     "--suite %s --write does",
                                     suite->name, suite_asked(suite));
        return suite->unasked ? ERROR_NONE : diagnostic_no_memory(diagnostic);
    }
    enum error error = sums_check(folder, suite->name, &why);
    if (!error)
        error = take_file(suite, path, NULL, NULL, &why);
    if (error == ERROR_INPUT) {
        suite->tensor_count = before;
        suite->unasked = arena_copy_text(&suite->arena, why.text, strlen(why.text));
        error = suite->unasked ? ERROR_NONE : ERROR_INTERNAL;
    }
    if (error)
        *diagnostic = why;
    return error;
}

static bool is_taken(const struct suite *suite, size_t source)
{
    for (size_t i = 0; i < source; i++)
        if (suite->sources[i].file && !strcmp(suite->sources[i].file, suite->sources[source].file))
            return true;
    return false;
}

enum error stored_load(struct suite *suite, const char *folder, struct diagnostic *diagnostic)
{
    enum error error = ERROR_NONE;
    for (size_t i = 0; i < suite->source_count && !error; i++) {
        const struct suite_source *const source = &suite->sources[i];
        if (source->file && !is_taken(suite, i))
            error = take_file(suite, beside(suite, source->file, &suite->arena), source->file,
                              source->sha256, diagnostic);
    }
    if (!error && suite->program.command)
        error = take_vectors(suite, folder, diagnostic);
    if (!error && suite->tensor_count)
        qsort(suite->tensor, suite->tensor_count, sizeof *suite->tensor, suite_compare_tensors);
    suite->loaded = !error;
    return error;
}

enum error stored_describe_program(const struct suite *suite, struct arena *arena,
                                   const char **program, struct diagnostic *diagnostic)
{
    struct text text = {0};
    enum error error = ERROR_NONE;
    *program = NULL;
    if (!suite->program.command)
        return ERROR_NONE;
    json_begin_object(&text);
    json_put_pair(&text, "exec", suite->program.command);
    json_begin_object_at(&text, "files");
    for (size_t i = 0; i < suite->program.count && !error; i++) {
        char hex[DIGEST_HEX_SIZE];
        const char *const path = beside(suite, suite->program.files[i], arena);
        error = path ? digest_path(path, hex, diagnostic) : diagnostic_no_memory(diagnostic);
        if (!error)
            json_put_pair(&text, suite->program.files[i], hex);
    }
    json_end_object(&text);
    json_end_object(&text);
    if (!error && !text.failed)
        *program = arena_copy_text(arena, text.bytes, text.size);
    text_release(&text);
    return error || *program ? error : diagnostic_no_memory(diagnostic);
}
