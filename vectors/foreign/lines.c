// SPDX-License-Identifier: Apache-2.0
// JSON lines, and safetensors by the names of their tensors.

#include <string.h>

#include "ref/base/bytes.h"
#include "ref/base/file.h"
#include "ref/base/json.h"
#include "vectors/foreign/foreign.h"
#include "vectors/safetensors.h"

// ---- tensors in files -------------------------------------------------------

struct files {
    struct foreign *foreign;
    const char *folder, *name; // the file that was read last
    struct safetensors tensors;
};

// Fills `tensor`, whose type and shape are known, but of which a file may know less.
static enum error take_entry(struct arena *arena, const struct safetensors_entry *entry,
                             struct tensor *tensor, struct diagnostic *diagnostic)
{
    const size_t size = dtype_size(tensor->dtype);
    tensor->data = arena_take(arena, entry->size);
    if (!tensor->data)
        return diagnostic_no_memory(diagnostic);
    bytes_copy_little_endian(tensor->data, entry->bytes, size, entry->size / size);
    for (size_t i = 0; size == 1 && i < entry->size; i++)
        if (entry->bytes[i] > dtype_last_code(tensor->dtype))
            return diagnostic_fail(diagnostic, ERROR_INPUT, "tensor %.200s: of type %s is 0 to %u",
                                   entry->name, dtype_name(tensor->dtype),
                                   (unsigned)dtype_last_code(tensor->dtype));
    return ERROR_NONE;
}

static enum error open_file(struct files *files, const struct document_node *node,
                            struct diagnostic *diagnostic)
{
    struct arena *const arena = &files->foreign->arena;
    struct document_source *const source = arena_take(arena, sizeof *source);
    if (files->name && !strcmp(files->name, node->text))
        return ERROR_NONE;
    if (strchr(node->text, '/'))
        return document_fail(node, ERROR_INPUT, diagnostic,
                             "a file of tensors lies beside the file that names it");
    const char *const path = arena_print(arena, "%s/%s", files->folder, node->text);
    if (!path || !source)
        return diagnostic_no_memory(diagnostic);
    enum error error = file_read(path, arena, source, diagnostic);
    if (!error)
        error = safetensors_read(source, arena, &files->tensors, diagnostic);
    files->name = error ? NULL : node->text;
    return error;
}

static enum error read_in_file(void *context, const struct document_node *node, const char *name,
                               struct arena *arena, struct tensor *tensor,
                               struct diagnostic *diagnostic)
{
    static const char *const keys[] = {"dtype", "shape", "file", "tensor", NULL};
    struct files *const files = context;
    struct tensor said;
    const char *const of = document_text(node, "tensor");
    const struct document_node *const file = document_find(node, "file");
    enum error error = document_only_keys(node, keys, name, diagnostic);
    if (!error)
        error = request_read_type(node, name, &said, diagnostic);
    if (!error)
        error = document_expect(file, DOCUMENT_SCALAR, "file", diagnostic);
    if (!error && !of)
        error = document_fail(node, ERROR_INPUT, diagnostic, "%s: which tensor of the file?", name);
    if (!error)
        error = open_file(files, file, diagnostic);
    for (size_t i = 0; !error && i < files->tensors.count; i++) {
        const struct safetensors_entry *const entry = &files->tensors.entry[i];
        if (strcmp(entry->name, of) != 0)
            continue;
        if (!dtype_stored_as(said.dtype, entry->tensor.dtype) ||
            !tensor_same_shape(&entry->tensor, &said))
            return document_fail(node, ERROR_INPUT, diagnostic,
                                 "%s has another type or shape in the file", name);
        *tensor = said;
        return take_entry(arena, entry, tensor, diagnostic);
    }
    return error ? error
                 : document_fail(node, ERROR_INPUT, diagnostic, "there is no tensor '%.200s'", of);
}

// ---- JSON lines -------------------------------------------------------------

static enum error read_expected(const struct document_node *node,
                                const struct request_sources *sources, struct foreign_tensor *to,
                                struct arena *arena, struct diagnostic *diagnostic)
{
    static const char *const keys[] = {"lower", "upper", "value", NULL};
    const bool ends = node->kind == DOCUMENT_MAPPING && document_find(node, "lower");
    if (!ends)
        return request_read_tensor(node, DTYPE_NONE, to->name, sources, arena, &to->value,
                                   diagnostic);
    struct tensor *const part[] = {&to->lower, &to->upper, &to->value};
    enum error error = document_only_keys(node, keys, to->name, diagnostic);
    for (unsigned i = 0; keys[i] && !error; i++) {
        const struct document_node *const at = document_find(node, keys[i]);
        if (at)
            error =
                request_read_tensor(at, DTYPE_NONE, to->name, sources, arena, part[i], diagnostic);
    }
    return error;
}

static enum error read_tensors(struct files *files, struct foreign_case *to, bool expected,
                               const struct document_node *node, struct diagnostic *diagnostic)
{
    struct foreign *const foreign = files->foreign;
    const struct request_sources sources = {.context = files, .file = read_in_file};
    if (!node)
        return ERROR_NONE;
    enum error error =
        document_expect(node, DOCUMENT_MAPPING, expected ? "expected" : "inputs", diagnostic);
    for (size_t i = 0; !error && i < node->count; i++) {
        struct foreign_tensor *place;
        error = foreign_place(foreign, to, expected, node->key[i]->text, &place, diagnostic);
        if (error && !diagnostic->line)
            return document_fail(node->key[i], error, diagnostic, "'%.80s' is no name of a tensor",
                                 node->key[i]->text);
        if (!error)
            error = read_expected(node->item[i], &sources, place, &foreign->arena, diagnostic);
    }
    return error;
}

static enum error read_line(struct files *files, const struct document_source *line,
                            struct diagnostic *diagnostic)
{
    static const char *const keys[] = {"id",       "op",        "attributes", "inputs",
                                       "expected", "tolerance", "reject",     NULL};
    struct foreign *const foreign = files->foreign;
    struct document_node *root;
    struct foreign_case *to;
    enum error error = json_read(line, &foreign->arena, &root, diagnostic);
    if (!error)
        error = document_expect(root, DOCUMENT_MAPPING, "a line", diagnostic);
    if (error)
        return error;
    if (document_text(root, "source") && !foreign->count) { // a first line may say whose they are
        foreign->title = document_text(root, "source");
        return document_only_keys(root, (const char *const[]){"source", NULL}, "the first line",
                                  diagnostic);
    }
    if (document_text(root, "left_out")) { // a converter could not take one
        foreign->left_out++;
        foreign->why_left_out =
            foreign->why_left_out ? foreign->why_left_out : document_text(root, "left_out");
        return ERROR_NONE;
    }
    const char *const id = document_text(root, "id");
    if ((error = document_only_keys(root, keys, "a line", diagnostic)))
        return error;
    if (!id)
        return document_fail(root, ERROR_INPUT, diagnostic, "a case needs an id");
    if ((error = foreign_add(foreign, id, &to, diagnostic)))
        return document_fail(root, error, diagnostic, "an id has 1 to 120 bytes");
    to->op = document_find(root, "op");
    to->attributes = document_find(root, "attributes");
    to->tolerance = document_find(root, "tolerance");
    to->reject = document_text(root, "reject");
    if (to->attributes)
        error = document_expect(to->attributes, DOCUMENT_MAPPING, "attributes", diagnostic);
    if (!error)
        error = read_tensors(files, to, false, document_find(root, "inputs"), diagnostic);
    return error ? error
                 : read_tensors(files, to, true, document_find(root, "expected"), diagnostic);
}

enum error foreign_read_lines(const struct document_source *source, const char *folder,
                              const struct foreign_words *words, struct foreign *foreign,
                              struct diagnostic *diagnostic)
{
    struct files files = {.foreign = foreign, .folder = folder};
    enum error error = ERROR_NONE;
    unsigned before = 0;
    for (size_t at = 0; at < source->size && !error; before++) {
        const char *const start = source->text + at;
        const char *const newline = memchr(start, '\n', source->size - at);
        const size_t size = newline ? (size_t)(newline - start) : source->size - at;
        struct document_source *const line = arena_take(&foreign->arena, sizeof *line);
        if (!line)
            return diagnostic_no_memory(diagnostic);
        *line = (struct document_source){
            .name = source->name, .text = start, .size = size, .lines_before = before};
        at += size + 1;
        if (size)
            error = read_line(&files, line, diagnostic);
    }
    return error ? error : foreign_finish(foreign, words, source, diagnostic);
}

// ---- safetensors ------------------------------------------------------------

enum role { ROLE_IN, ROLE_OUT, ROLE_LOWER, ROLE_UPPER, ROLES };

// "CASE/in/NAME" into its parts; the case may be left out.
static bool split(const char *name, size_t *id, enum role *role, const char **of)
{
    static const char *const words[ROLES] = {"in/", "out/", "lower/", "upper/"};
    for (const char *at = name; at; at = strchr(at, '/') ? strchr(at, '/') + 1 : NULL)
        for (unsigned i = 0; i < ROLES; i++)
            if (!strncmp(at, words[i], strlen(words[i])) && !strchr(at + strlen(words[i]), '/')) {
                *id = at == name ? 0 : (size_t)(at - name) - 1;
                *role = (enum role)i;
                *of = at + strlen(words[i]);
                return **of != '\0';
            }
    return false;
}

// The cases that tensors belong to. Names are sorted, so that those of a case are neighbours, but
// for the one whose tensors name none.
struct cases {
    const char *last;
    struct foreign_case *of_last, *unnamed;
};

static enum error find_case(struct foreign *foreign, const char *id, size_t length,
                            const char *stem, struct cases *cases, struct foreign_case **to,
                            struct diagnostic *diagnostic)
{
    enum error error = ERROR_NONE;
    if (!length) {
        if (!cases->unnamed)
            error = foreign_add(foreign, stem, &cases->unnamed, diagnostic);
        *to = cases->unnamed;
        return error;
    }
    if (!cases->last || strlen(cases->last) != length || strncmp(cases->last, id, length) != 0) {
        cases->last = arena_copy_text(&foreign->arena, id, length);
        error = cases->last ? foreign_add(foreign, cases->last, &cases->of_last, diagnostic)
                            : diagnostic_no_memory(diagnostic);
    }
    *to = cases->of_last;
    return error;
}

enum error foreign_read_safetensors(const struct document_source *source, const char *stem,
                                    const struct foreign_words *words, struct foreign *foreign,
                                    struct diagnostic *diagnostic)
{
    struct safetensors tensors;
    struct cases cases = {.last = NULL};
    enum error error = safetensors_read(source, &foreign->arena, &tensors, diagnostic);
    for (size_t i = 0; !error && i < tensors.count; i++) {
        const struct safetensors_entry *const entry = &tensors.entry[i];
        struct foreign_tensor *place;
        struct foreign_case *to;
        enum role role;
        const char *of;
        size_t id;
        if (!split(entry->name, &id, &role, &of))
            return diagnostic_fail(diagnostic, ERROR_INPUT,
                                   "%.200s: tensor '%.150s' is not called CASE/in/NAME, "
                                   "CASE/out/NAME, CASE/lower/NAME or CASE/upper/NAME",
                                   source->name, entry->name);
        error = find_case(foreign, entry->name, id, stem, &cases, &to, diagnostic);
        if (!error)
            error = foreign_place(foreign, to, role != ROLE_IN, of, &place, diagnostic);
        if (error)
            break;
        struct tensor *const tensor = role == ROLE_LOWER   ? &place->lower
                                      : role == ROLE_UPPER ? &place->upper
                                                           : &place->value;
        *tensor = entry->tensor;
        error = take_entry(&foreign->arena, entry, tensor, diagnostic);
    }
    return error ? error : foreign_finish(foreign, words, source, diagnostic);
}
