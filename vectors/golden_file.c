// SPDX-License-Identifier: Apache-2.0
// Golden vectors read from their folder, and written to it.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ref/base/file.h"
#include "ref/base/json.h"
#include "vectors/golden.h"
#include "vectors/golden_line.h"

static char *file_path(struct arena *arena, const char *folder, const char *suite,
                       const char *ending)
{
    return arena_print(arena, "%s/%s.%s", folder, suite, ending);
}

// ---- writing ----------------------------------------------------------------

static enum error write_tensors(const char *path, const struct golden *golden,
                                struct diagnostic *diagnostic)
{
    size_t count = 0;
    for (size_t i = 0; i < golden->count; i++)
        count += golden->cases[i].count;
    struct safetensors_entry *const entry = calloc(count + 1, sizeof *entry);
    if (!entry)
        return diagnostic_no_memory(diagnostic);
    count = 0;
    for (size_t i = 0; i < golden->count; i++)
        for (size_t k = 0; k < golden->cases[i].count; k++) {
            const struct golden_tensor *const tensor = &golden->cases[i].tensor[k];
            entry[count++] = (struct safetensors_entry){
                .name = tensor->name, .tensor = tensor->tensor, .bytes = tensor->bytes};
        }
    const enum error error = safetensors_write(path, entry, count, diagnostic);
    free(entry);
    return error;
}

static enum error write_manifest(const char *path, const struct golden *golden,
                                 struct diagnostic *diagnostic)
{
    struct text head = {0};
    struct file_replacement file;
    golden_line_head(&head, golden);
    text_put_bytes(&head, "\n", 1);
    enum error error =
        head.failed ? diagnostic_no_memory(diagnostic) : file_replace(&file, path, diagnostic);
    if (error) {
        text_release(&head);
        return error;
    }
    error = file_put(&file, head.bytes, head.size, diagnostic);
    for (size_t i = 0; i < golden->count && !error; i++)
        if (!(error = file_put(&file, golden->cases[i].line, strlen(golden->cases[i].line),
                               diagnostic)))
            error = file_put(&file, "\n", 1, diagnostic);
    text_release(&head);
    if (!error)
        return file_commit(&file, diagnostic);
    file_abandon(&file);
    return error;
}

enum error golden_write(const char *folder, const struct golden *golden,
                        struct diagnostic *diagnostic)
{
    struct arena arena = {0};
    const char *const tensors = file_path(&arena, folder, golden->suite, "safetensors");
    const char *const manifest = file_path(&arena, folder, golden->suite, "jsonl");
    enum error error = tensors && manifest ? write_tensors(tensors, golden, diagnostic)
                                           : diagnostic_no_memory(diagnostic);
    if (!error)
        error = write_manifest(manifest, golden, diagnostic);
    arena_release(&arena);
    return error;
}

// ---- reading ----------------------------------------------------------------

struct reader {
    struct golden *golden;
    struct arena *arena;
    struct safetensors tensors;
    struct diagnostic *diagnostic;
};

// "CASE/out/NAME/run=1/at=64" into its parts. The length of the case's id is known.
static bool read_name(const char *name, size_t id_length, struct golden_tensor *to,
                      struct arena *arena)
{
    const char *at = name + id_length;
    to->output = !strncmp(at, "/out/", 5);
    if (!to->output && strncmp(at, "/in/", 4) != 0)
        return false;
    at += to->output ? 5 : 4;
    const size_t length = strcspn(at, "/");
    to->of = arena_copy_text(arena, at, length);
    at += length;
    char *end;
    if (!strncmp(at, "/run=", 5)) {
        to->run = (unsigned)strtoul(at + 5, &end, 10);
        at = end;
    }
    if (!strncmp(at, "/at=", 4)) {
        to->part = GOLDEN_WINDOW;
        to->first = strtoull(at + 4, &end, 10);
        at = end;
    } else if (!strcmp(at, "/chunks")) {
        to->part = GOLDEN_CHUNKS;
        at += 7;
    } else if (!strncmp(at, "/{", 2) && at[strlen(at) - 1] == '}') {
        to->part = GOLDEN_UNDER;
        at += strlen(at);
    }
    return to->of && length && !*at;
}

static int compare_to_prefix(const char *prefix, size_t length, const char *name)
{
    return strncmp(prefix, name, length);
}

// The entries whose names start with "ID/" are neighbours, since they are sorted.
static enum error read_case_tensors(struct reader *reader, struct golden_case *to)
{
    char prefix[SUITE_ID_SIZE_MAX + 8];
    const size_t length = (size_t)snprintf(prefix, sizeof prefix, "%s/", to->id);
    size_t low = 0, high = reader->tensors.count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (compare_to_prefix(prefix, length, reader->tensors.entry[middle].name) > 0)
            low = middle + 1;
        else
            high = middle;
    }
    size_t end = low;
    while (end < reader->tensors.count &&
           !compare_to_prefix(prefix, length, reader->tensors.entry[end].name))
        end++;
    struct golden_tensor *const tensor = arena_take_array(reader->arena, end - low, sizeof *tensor);
    if (!tensor)
        return diagnostic_no_memory(reader->diagnostic);
    for (size_t i = low; i < end; i++) {
        const struct safetensors_entry *const entry = &reader->tensors.entry[i];
        struct golden_tensor *const at = &tensor[to->count++];
        *at = (struct golden_tensor){.name = entry->name,
                                     .tensor = entry->tensor,
                                     .bytes = entry->bytes,
                                     .size = entry->size};
        if (read_name(entry->name, length - 1, at, reader->arena))
            continue;
        to->count = 0;
        return diagnostic_fail(reader->diagnostic, ERROR_INPUT,
                               "the golden file of %s holds a tensor '%.200s'",
                               reader->golden->suite, entry->name);
    }
    to->tensor = tensor;
    return ERROR_NONE;
}

// The value as JSON; NULL stays so.
static enum error keep_json(struct reader *reader, const struct document_node *value,
                            const char **kept)
{
    struct text text = {0};
    *kept = NULL;
    if (!value)
        return ERROR_NONE;
    json_put_document(&text, value);
    *kept = text.failed ? NULL : arena_copy_text(reader->arena, text.bytes, text.size);
    text_release(&text);
    return *kept ? ERROR_NONE : diagnostic_no_memory(reader->diagnostic);
}

static enum error read_head(struct reader *reader, const struct document_source *line)
{
    static const char *const keys[] = {"manifest", "suite",     "version", "suite_sha256",
                                       "program",  "operators", "cases",   NULL};
    struct document_node *root;
    long long format = 0, cases = 0;
    enum error error;
    if ((error = json_read(line, reader->arena, &root, reader->diagnostic)) ||
        (error =
             document_only_keys(root, keys, "the first line of a manifest", reader->diagnostic)))
        return error;
    const struct document_node *const suite = document_find(root, "suite"),
                                      *const version = document_find(root, "version"),
                                      *const sha256 = document_find(root, "suite_sha256"),
                                      *const program = document_find(root, "program"),
                                      *const operators = document_find(root, "operators");
    if (root->count != 4 + (size_t)(sha256 != NULL) + (program != NULL) + (operators != NULL))
        return document_fail(root, ERROR_INPUT, reader->diagnostic,
                             "not the first line of a manifest");
    if ((error =
             document_integer(document_find(root, "manifest"), GOLDEN_MANIFEST_FORMAT,
                              GOLDEN_MANIFEST_FORMAT, &format, "manifest", reader->diagnostic)) ||
        (error = document_integer(document_find(root, "cases"), 0, SUITE_CASES_MAX, &cases, "cases",
                                  reader->diagnostic)) ||
        (error = document_expect(version, DOCUMENT_SCALAR, "version", reader->diagnostic)) ||
        (sha256 &&
         (error = document_expect(sha256, DOCUMENT_SCALAR, "suite_sha256", reader->diagnostic))))
        return error;
    if (suite->kind != DOCUMENT_SCALAR || strcmp(suite->text, reader->golden->suite) != 0)
        return document_fail(suite, ERROR_INPUT, reader->diagnostic,
                             "the manifest is not that of suite %s", reader->golden->suite);
    reader->golden->version = version->text;
    reader->golden->suite_sha256 = sha256 ? sha256->text : NULL;
    if ((error = keep_json(reader, program, &reader->golden->program)) ||
        (error = keep_json(reader, operators, &reader->golden->operators)))
        return error;
    reader->golden->cases = calloc((size_t)cases + 1, sizeof *reader->golden->cases);
    reader->golden->count = (size_t)cases;
    return reader->golden->cases ? ERROR_NONE : diagnostic_no_memory(reader->diagnostic);
}

static enum error read_case(struct reader *reader, const struct document_source *line, size_t index)
{
    struct golden_case *const to = &reader->golden->cases[index];
    struct arena scratch = {0};
    struct document_node *root;
    enum error error = json_read(line, &scratch, &root, reader->diagnostic);
    const struct document_node *const id =
        error || root->kind != DOCUMENT_MAPPING ? NULL : document_find(root, "id");
    if (!error && (!id || id->kind != DOCUMENT_SCALAR || id->count >= SUITE_ID_SIZE_MAX))
        error = document_fail(root, ERROR_INPUT, reader->diagnostic,
                              "a line of the manifest needs an id");
    if (!error && index && strcmp(reader->golden->cases[index - 1].id, id->text) >= 0)
        error = document_fail(id, ERROR_INPUT, reader->diagnostic,
                              "the manifest is not in the order of ids");
    if (!error) {
        to->id = arena_copy_text(reader->arena, id->text, id->count);
        to->line = arena_copy_text(reader->arena, line->text, line->size);
        error = to->id && to->line ? read_case_tensors(reader, to)
                                   : diagnostic_no_memory(reader->diagnostic);
    }
    arena_release(&scratch);
    return error;
}

static enum error read_manifest(struct reader *reader, const struct document_source *file)
{
    size_t lines = 0;
    enum error error = ERROR_NONE;
    for (size_t at = 0; at < file->size && !error; lines++) {
        const char *const newline = memchr(file->text + at, '\n', file->size - at);
        const struct document_source line = {.name = file->name,
                                             .text = file->text + at,
                                             .size = newline ? (size_t)(newline - file->text) - at
                                                             : file->size - at,
                                             .lines_before = (unsigned)lines};
        at += line.size + 1;
        if (!newline)
            error = document_fail_at(&line, (unsigned)lines + 1, 1, ERROR_INPUT, reader->diagnostic,
                                     "the last line does not end: the file is cut off");
        else if (!lines)
            error = read_head(reader, &line);
        else if (lines > reader->golden->count)
            error = document_fail_at(&line, (unsigned)lines + 1, 1, ERROR_INPUT, reader->diagnostic,
                                     "more lines than the %zu cases that the first line states",
                                     reader->golden->count);
        else
            error = read_case(reader, &line, lines - 1);
    }
    if (!error && lines != reader->golden->count + 1)
        error = diagnostic_fail(reader->diagnostic, ERROR_INPUT,
                                "%s holds %zu lines; its first line states %zu cases", file->name,
                                lines, reader->golden->count);
    // Cases that were not reached have no id.
    for (size_t i = 0; error && reader->golden->cases && i < reader->golden->count; i++)
        if (!reader->golden->cases[i].id)
            reader->golden->count = i;
    return error;
}

enum error golden_read(const char *folder, const char *suite, struct golden *golden,
                       struct diagnostic *diagnostic)
{
    *golden = (struct golden){.suite = suite};
    golden->arenas = calloc(1, sizeof *golden->arenas);
    if (!golden->arenas)
        return diagnostic_no_memory(diagnostic);
    golden->arena_count = 1;
    struct reader reader = {.golden = golden, .arena = golden->arenas, .diagnostic = diagnostic};
    struct document_source *const tensors = arena_take(reader.arena, sizeof *tensors);
    const char *const tensors_path = file_path(reader.arena, folder, suite, "safetensors");
    const char *const manifest_path = file_path(reader.arena, folder, suite, "jsonl");
    enum error error;
    struct document_source manifest;
    struct arena lines = {0};
    if (!tensors || !tensors_path || !manifest_path)
        return diagnostic_no_memory(diagnostic);
    if (!(error = file_read(manifest_path, &lines, &manifest, diagnostic)) &&
        !(error = file_read(tensors_path, reader.arena, tensors, diagnostic)) &&
        !(error = safetensors_read(tensors, reader.arena, &reader.tensors, diagnostic)))
        error = read_manifest(&reader, &manifest);
    arena_release(&lines);
    if (error)
        return error;
    size_t used = 0;
    for (size_t i = 0; i < golden->count; i++)
        used += golden->cases[i].count;
    return used == reader.tensors.count
               ? ERROR_NONE
               : diagnostic_fail(diagnostic, ERROR_INPUT,
                                 "%s holds %zu tensors, its manifest names the cases of %zu",
                                 tensors_path, reader.tensors.count, used);
}

enum error golden_check_suite(const char *folder, const struct suite *suite,
                              struct diagnostic *diagnostic)
{
    struct golden golden = {.suite = suite->name};
    struct arena arena = {0};
    struct reader reader = {.golden = &golden, .arena = &arena, .diagnostic = diagnostic};
    struct document_source manifest = {.text = NULL};
    const char *const path = file_path(&arena, folder, suite->name, "jsonl");
    enum error error = path ? ERROR_NONE : diagnostic_no_memory(diagnostic);
    if (!error && !access(path, F_OK)) {
        error = file_read(path, &arena, &manifest, diagnostic);
        const char *const newline = error ? NULL : memchr(manifest.text, '\n', manifest.size);
        if (newline)
            manifest.size = (size_t)(newline - manifest.text);
        if (!error)
            error = read_head(&reader, &manifest);
        if (!error && (!golden.suite_sha256 || strcmp(golden.suite_sha256, suite->sha256) != 0))
            error = diagnostic_fail(
                diagnostic, ERROR_INPUT,
                "%.300s is not the suite that the golden vectors were made from (%.300s states "
                "%s, the file has %s). Where it was changed on purpose, `assay emit --suite %.300s "
                "--write` makes them anew",
                suite->path, path, golden.suite_sha256 ? golden.suite_sha256 : "none",
                suite->sha256, suite_asked(suite));
        const char *now = NULL;
        if (!error)
            error = golden_line_operators(suite, &arena, &now, diagnostic);
        if (!error && !text_same(golden.operators, now)) {
            const char *const changed = golden_changed_operator(golden.operators, suite);
            error = diagnostic_fail(
                diagnostic, ERROR_INPUT,
                "the golden vectors of %.300s were made with another declaration of %s. Where it "
                "was changed on purpose, `assay emit --suite %.300s --write` makes them anew",
                suite->path, changed ? changed : "more operators", suite_asked(suite));
        }
    }
    free(golden.cases);
    arena_release(&arena);
    return error;
}
