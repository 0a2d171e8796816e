// SPDX-License-Identifier: Apache-2.0
// Reads a folder of the form, of which nothing is trusted: digests are checked first, then each
// line.

#include "harness/host/record/form.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ref/base/file.h"

// What a line ends with: ", "sha256": "..."}", and before it what the digest is of.
static const char before_digest[] = ", \"sha256\": \"", after_digest[] = "\"}";
enum {
    TAIL_SIZE = sizeof before_digest - 1 + DIGEST_HEX_SIZE - 1 + sizeof after_digest - 1,
    LINE_MAX_SIZE = 16 << 20
};
static const uint64_t DATA_MAX = UINT64_C(1) << 36;

static enum error hex_of(const void *bytes, size_t size, char hex[DIGEST_HEX_SIZE],
                         struct diagnostic *diagnostic)
{
    unsigned char digest[DIGEST_SIZE];
    const enum error error = digest_of(bytes, size, digest, diagnostic);
    if (!error)
        digest_write_hex(digest, hex);
    return error;
}

static enum error check_line(const struct document_source *line, struct diagnostic *diagnostic)
{
    char hex[DIGEST_HEX_SIZE];
    const char *const tail = line->text + line->size - TAIL_SIZE;
    if (line->size <= TAIL_SIZE || line->size > LINE_MAX_SIZE ||
        memcmp(tail, before_digest, sizeof before_digest - 1) != 0 ||
        memcmp(line->text + line->size - 2, after_digest, 2) != 0)
        return document_fail_at(line, line->lines_before + 1, 1, ERROR_INPUT, diagnostic,
                                "the line does not end with its digest");
    const enum error error = hex_of(line->text, line->size - TAIL_SIZE, hex, diagnostic);
    if (!error && memcmp(hex, tail + sizeof before_digest - 1, DIGEST_HEX_SIZE - 1) != 0)
        return document_fail_at(line, line->lines_before + 1, 1, ERROR_INPUT, diagnostic,
                                "the line was changed: its digest is another");
    return error;
}

// All lines, with their digests checked.
static enum error split(const struct document_source *file, struct arena *arena, struct form *form,
                        struct document_source *footer, struct diagnostic *diagnostic)
{
    size_t count = 0;
    for (const char *at = file->text; at < file->text + file->size; count++) {
        const char *const end = memchr(at, '\n', (size_t)(file->text + file->size - at));
        if (!end)
            return document_fail_at(file, (unsigned)count + 1, 1, ERROR_INPUT, diagnostic,
                                    "the last line does not end: the file is cut off");
        at = end + 1;
    }
    if (count < 2)
        return document_fail_at(file, 1, 1, ERROR_INPUT, diagnostic,
                                "there is no header and footer: this is no such file");
    struct document_source *const line = arena_take_array(arena, count, sizeof *line);
    if (!line)
        return diagnostic_no_memory(diagnostic);
    const char *at = file->text;
    for (size_t i = 0; i < count; i++) {
        const char *const end = memchr(at, '\n', (size_t)(file->text + file->size - at));
        line[i] = (struct document_source){.name = file->name,
                                           .text = at,
                                           .size = (size_t)(end - at),
                                           .lines_before = (unsigned)i};
        const enum error error = check_line(&line[i], diagnostic);
        if (error)
            return error;
        at = end + 1;
    }
    form->header = line[0];
    form->line = line + 1;
    form->count = count - 2;
    *footer = line[count - 1];
    return ERROR_NONE;
}

static enum error check_footer(const struct document_source *file,
                               const struct document_source *footer, struct form *form,
                               struct diagnostic *diagnostic)
{
    static const char *const keys[] = {"record", "lines",       "lines_sha256",
                                       "bytes",  "data_sha256", NULL};
    struct arena arena = {0};
    struct document_node *root;
    char hex[DIGEST_HEX_SIZE];
    long long lines = -1, bytes = -1;
    enum error error = json_read(footer, &arena, &root, diagnostic);
    if (!error && !text_same(document_text(root, "record"), "footer"))
        error = document_fail(root, ERROR_INPUT, diagnostic,
                              "the last line is no footer: the file is cut off");
    if (!error)
        error = form_only_keys(root, keys, diagnostic);
    for (unsigned i = 1; !error && keys[i]; i++)
        if (!document_text(root, keys[i]))
            error = document_fail(root, ERROR_INPUT, diagnostic, "the footer lacks '%s'", keys[i]);
    if (!error)
        error = document_integer(document_find(root, "lines"), 0, INT64_MAX, &lines, "lines",
                                 diagnostic);
    if (!error)
        error = document_integer(document_find(root, "bytes"), 0, (long long)DATA_MAX, &bytes,
                                 "bytes", diagnostic);
    if (!error)
        error = hex_of(file->text, (size_t)(footer->text - file->text), hex, diagnostic);
    if (!error &&
        ((uint64_t)lines != form->count || strcmp(hex, document_text(root, "lines_sha256")) != 0))
        error = document_fail(root, ERROR_INPUT, diagnostic,
                              "the footer is that of other lines: some were added, removed or "
                              "moved");
    if (!error) {
        form->size = (uint64_t)bytes;
        snprintf(form->data_sha256, sizeof form->data_sha256, "%s",
                 document_text(root, "data_sha256"));
    }
    arena_release(&arena);
    return error;
}

static enum error read_data(struct arena *arena, struct form *form, struct diagnostic *diagnostic)
{
    struct stat status;
    size_t got = 0;
    const int file = open(form->data_path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0 || fstat(file, &status) || !S_ISREG(status.st_mode)) {
        const int why = file < 0 ? errno : EINVAL;
        if (file >= 0)
            close(file);
        return diagnostic_fail(diagnostic, ERROR_INPUT, "cannot read %.400s: %s", form->data_path,
                               strerror(why));
    }
    enum error error = ERROR_NONE;
    unsigned char *const data = (uint64_t)status.st_size == form->size
                                    ? arena_take_unset(arena, (size_t)form->size + 1)
                                    : NULL;
    if ((uint64_t)status.st_size != form->size)
        error = diagnostic_fail(
            diagnostic, ERROR_INPUT, "%.400s has %lld bytes; the footer of %.400s says %" PRIu64,
            form->data_path, (long long)status.st_size, form->lines_path, form->size);
    else if (!data)
        error = diagnostic_no_memory(diagnostic);
    else if (!file_take(file, 0, data, (size_t)form->size, &got) || got != form->size)
        error =
            diagnostic_fail(diagnostic, ERROR_INPUT, "cannot read all of %.400s", form->data_path);
    close(file);
    form->data = data;
    return error;
}

enum error form_read(const char *folder, const char *name, struct arena *arena, struct form *form,
                     struct diagnostic *diagnostic)
{
    struct document_source footer, *const file = arena_take(arena, sizeof *file);
    *form = (struct form){.count = 0};
    if (!file)
        return diagnostic_no_memory(diagnostic);
    if (snprintf(form->lines_path, FORM_PATH_SIZE, "%s/%s.jsonl", folder, name) >= FORM_PATH_SIZE ||
        snprintf(form->data_path, FORM_PATH_SIZE, "%s/%s.data", folder, name) >= FORM_PATH_SIZE)
        return diagnostic_fail(diagnostic, ERROR_INPUT, "the path of the folder is too long");
    enum error error = file_read(form->lines_path, arena, file, diagnostic);
    if (!error)
        error = split(file, arena, form, &footer, diagnostic);
    if (!error)
        error = check_footer(file, &footer, form, diagnostic);
    if (!error)
        error = hex_of(file->text, file->size, form->sha256, diagnostic);
    return error ? error : read_data(arena, form, diagnostic);
}

enum error form_only_keys(const struct document_node *node, const char *const *keys,
                          struct diagnostic *diagnostic)
{
    const enum error error = document_expect(node, DOCUMENT_MAPPING, "the line", diagnostic);
    for (size_t i = 0; !error && i < node->count; i++)
        if (text_index(keys, node->key[i]->text) < 0 && strcmp(node->key[i]->text, "sha256") != 0)
            return document_fail(node->key[i], ERROR_INPUT, diagnostic, "unknown key '%.60s'",
                                 node->key[i]->text);
    return error;
}

static enum error take_shape(const struct document_node *node, struct tensor *tensor,
                             struct diagnostic *diagnostic)
{
    const struct document_node *const shape = document_find(node, "shape");
    if (!shape || shape->kind != DOCUMENT_SEQUENCE || shape->count > TENSOR_RANK_MAX)
        return document_fail(node, ERROR_INPUT, diagnostic,
                             "a tensor's shape must be a list of at most %d numbers",
                             TENSOR_RANK_MAX);
    tensor->rank = (unsigned)shape->count;
    for (unsigned i = 0; i < tensor->rank; i++) {
        long long extent = 0;
        const enum error error =
            document_integer(shape->item[i], 0, INT64_MAX, &extent, "shape", diagnostic);
        if (error)
            return error;
        tensor->shape[i] = (uint64_t)extent;
    }
    return ERROR_NONE;
}

enum error form_take_type(const struct document_node *node, struct tensor *tensor,
                          struct diagnostic *diagnostic)
{
    static const char *const keys[] = {"dtype", "shape", "at", "window", NULL};
    *tensor = (struct tensor){.dtype = DTYPE_NONE};
    const enum error error = form_only_keys(node, keys, diagnostic);
    const char *const dtype = error ? NULL : document_text(node, "dtype");
    if (!error && (!dtype || dtype_named(dtype) == DTYPE_NONE))
        return document_fail(node, ERROR_INPUT, diagnostic, "there is no type '%.20s'",
                             dtype ? dtype : "");
    if (error)
        return error;
    tensor->dtype = dtype_named(dtype);
    return take_shape(node, tensor, diagnostic);
}

enum error form_take_tensor(const struct form *form, const struct document_node *node,
                            struct tensor *tensor, uint64_t *count, struct diagnostic *diagnostic)
{
    long long at = 0, window = -1;
    size_t bytes = 0;
    char hex[DIGEST_HEX_SIZE];
    enum error error = form_take_type(node, tensor, diagnostic);
    const char *const digest = error ? NULL : document_text(node, "sha256");
    if (!error && (!digest || !document_text(node, "at")))
        error = document_fail(node, ERROR_INPUT, diagnostic,
                              "a tensor has dtype, shape, at and sha256");
    if (!error)
        error = document_integer(document_find(node, "at"), 0, INT64_MAX, &at, "at", diagnostic);
    if (!error && document_find(node, "window"))
        error = document_integer(document_find(node, "window"), 0, INT64_MAX, &window, "window",
                                 diagnostic);
    if (error)
        return error;
    const bool fits = tensor_count(tensor, count);
    if (window >= 0)
        *count = (uint64_t)window;
    const size_t size = dtype_size(tensor->dtype);
    if ((!fits && window < 0) || *count > form->size / size || (uint64_t)at > form->size ||
        *count * size > form->size - (uint64_t)at)
        return document_fail(node, ERROR_INPUT, diagnostic,
                             "the tensor's bytes would lie beyond the end of %.400s",
                             form->data_path);
    bytes = (size_t)*count * size;
    tensor->data = (void *)(uintptr_t)(form->data + at);
    error = hex_of(tensor->data, bytes, hex, diagnostic);
    if (!error && strcmp(hex, digest) != 0)
        return document_fail(node, ERROR_INPUT, diagnostic,
                             "bytes %lld to %lld of %.400s were changed: their digest is another",
                             at, at + (long long)bytes - 1, form->data_path);
    return error;
}

enum error form_check_data(const struct form *form, struct diagnostic *diagnostic)
{
    char hex[DIGEST_HEX_SIZE];
    const enum error error = hex_of(form->data, (size_t)form->size, hex, diagnostic);
    if (!error && strcmp(hex, form->data_sha256) != 0)
        return diagnostic_fail(diagnostic, ERROR_INPUT,
                               "%.400s was changed in bytes that no tensor has", form->data_path);
    return error;
}
