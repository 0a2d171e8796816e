// SPDX-License-Identifier: Apache-2.0
// What the reference gives, held against a manifest: each output is described anew, with its
// digest, as emit would, and the two texts are compared.

#define _GNU_SOURCE
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ref/base/bytes.h"
#include "ref/base/file.h"
#include "vectors/golden_hold.h"
#include "vectors/golden_line.h"

enum { PIECE = 1 << 14 };

static const char id_key[] = "{\"id\": \"", outputs_key[] = "\"outputs\": {";

// ---- the manifest -----------------------------------------------------------

static size_t id_size(const char *line, size_t size)
{
    const size_t key = sizeof id_key - 1;
    const char *const end =
        size > key && !memcmp(line, id_key, key) ? memchr(line + key, '"', size - key) : NULL;
    return end ? (size_t)(end - line) - key : 0;
}

// What is looked at of a line: a third of it.
static bool keep_line(struct golden_manifest *manifest, const char *at, size_t size)
{
    const size_t id = id_size(at, size);
    const char *const outputs = memmem(at, size, outputs_key, sizeof outputs_key - 1);
    const size_t rest = outputs ? size - (size_t)(outputs - at) : 0;
    struct golden_manifest_line *const line = &manifest->line[manifest->count];
    if (!id)
        return true;
    *line = (struct golden_manifest_line){
        .id = arena_copy_text(&manifest->arena, at + sizeof id_key - 1, id),
        .outputs = arena_copy_text(&manifest->arena, outputs ? outputs : "", rest),
        .size = rest};
    manifest->count++;
    return line->id && line->outputs;
}

static enum error keep_lines(struct golden_manifest *manifest, const struct document_source *file,
                             struct diagnostic *diagnostic)
{
    size_t lines = 0;
    for (size_t i = 0; i < file->size; i++)
        lines += file->text[i] == '\n';
    manifest->line = arena_take_array(&manifest->arena, lines + 1, sizeof *manifest->line);
    if (!manifest->line)
        return diagnostic_no_memory(diagnostic);
    for (const char *at = file->text, *const end = file->text + file->size; at < end;) {
        const char *const newline = memchr(at, '\n', (size_t)(end - at));
        if (!newline)
            break; // cut off: a case that is not there is no pass
        if (!keep_line(manifest, at, (size_t)(newline - at)))
            return diagnostic_no_memory(diagnostic);
        at = newline + 1;
    }
    return ERROR_NONE;
}

enum error golden_manifest_read(const char *folder, const char *suite,
                                struct golden_manifest *manifest, struct diagnostic *diagnostic)
{
    *manifest = (struct golden_manifest){.path = NULL};
    struct document_source file;
    struct arena scratch = {0};
    const char *const path = arena_print(&manifest->arena, "%s/%s.jsonl", folder, suite);
    if (!path)
        return diagnostic_no_memory(diagnostic);
    if (access(path, F_OK))
        return ERROR_NONE;
    enum error error = file_read(path, &scratch, &file, diagnostic);
    if (!error)
        error = keep_lines(manifest, &file, diagnostic);
    if (!error)
        manifest->path = path;
    arena_release(&scratch);
    return error;
}

void golden_manifest_release(struct golden_manifest *manifest)
{
    arena_release(&manifest->arena);
    *manifest = (struct golden_manifest){.path = NULL};
}

static const struct golden_manifest_line *find_line(const struct golden_manifest *manifest,
                                                    const char *id)
{
    for (size_t i = 0; i < manifest->count; i++)
        if (!strcmp(manifest->line[i].id, id))
            return &manifest->line[i];
    return NULL;
}

// ---- one output -------------------------------------------------------------

static enum error digest_elements(const struct tensor *tensor, uint64_t first, uint64_t count,
                                  unsigned char result[DIGEST_SIZE], struct diagnostic *diagnostic)
{
    const size_t size = dtype_size(tensor->dtype);
    unsigned char little[PIECE];
    struct digest digest;
    enum error error = digest_begin(&digest, diagnostic);
    for (uint64_t at = 0; at < count && !error; at += PIECE / size) {
        const size_t part = count - at < PIECE / size ? (size_t)(count - at) : PIECE / size;
        bytes_copy_little_endian(little, (const char *)tensor->data + (first + at) * size, size,
                                 part);
        error = digest_add(&digest, little, part * size, diagnostic);
    }
    return error ? error : digest_end(&digest, result, diagnostic);
}

static enum error put_chunks(struct text *text, const struct tensor *tensor, uint64_t total,
                             struct diagnostic *diagnostic)
{
    const uint64_t chunks = (total + GOLDEN_CHUNK - 1) / GOLDEN_CHUNK;
    unsigned char each[DIGEST_SIZE], all[DIGEST_SIZE];
    struct digest digest;
    enum error error = digest_begin(&digest, diagnostic);
    for (uint64_t at = 0; at < total && !error; at += GOLDEN_CHUNK) {
        const uint64_t left = total - at;
        error = digest_elements(tensor, at, left < GOLDEN_CHUNK ? left : GOLDEN_CHUNK, each,
                                diagnostic);
        if (!error)
            error = digest_add(&digest, each, sizeof each, diagnostic);
    }
    if (!error)
        error = digest_end(&digest, all, diagnostic);
    if (!error)
        golden_line_chunks(text, tensor, chunks, all);
    return error;
}

static enum error put_run(struct text *text, const struct request *request,
                          const struct evaluation *evaluation, unsigned output, unsigned run,
                          struct diagnostic *diagnostic)
{
    const struct tensor *const tensor =
        &evaluation->tensor[(size_t)run * OPERATION_OUTPUTS_MAX + output];
    const uint64_t window[2] = {request->window_first, request->window_count};
    const bool windowed = request->windowed && output == evaluation->windowed_output;
    unsigned char digest[DIGEST_SIZE];
    uint64_t count = request->window_count;
    if (!windowed)
        tensor_count(tensor, &count);
    if (!windowed && count > GOLDEN_CHUNK)
        return put_chunks(text, tensor, count, diagnostic);
    const enum error error = digest_elements(tensor, 0, count, digest, diagnostic);
    if (!error)
        golden_line_tensor(text, tensor, tensor->data, count, windowed ? window : NULL, digest);
    return error;
}

// {"NAME": ...: what stands in a line of the manifest, behind a bracket.
static enum error put_output(struct text *text, const struct request *request,
                             const struct evaluation *evaluation, unsigned output,
                             struct diagnostic *diagnostic)
{
    enum error error = ERROR_NONE;
    json_begin_object(text);
    json_put_key(text, request->operation->outputs[output]);
    if (request->runs > 1)
        json_begin_list(text);
    for (unsigned run = 0; run < request->runs && !error; run++)
        error = put_run(text, request, evaluation, output, run, diagnostic);
    if (request->runs > 1)
        json_end_list(text);
    return !error && text->failed ? diagnostic_no_memory(diagnostic) : error;
}

// ---- all of them ------------------------------------------------------------

// Takes `word` off the front of what is left of a line.
static bool take(const char **at, const char *end, const char *word, size_t size)
{
    const bool is_there = (size_t)(end - *at) >= size && !memcmp(*at, word, size);
    *at += is_there ? size : 0;
    return is_there;
}

enum error golden_manifest_hold(const struct golden_manifest *manifest, const char *id,
                                const struct request *request, const struct evaluation *evaluation,
                                char why[GOLDEN_HOLD_SIZE], struct diagnostic *diagnostic)
{
    assert(manifest->path);
    const struct golden_manifest_line *const line = find_line(manifest, id);
    const char *const end = line ? line->outputs + line->size : NULL;
    const char *at = line && line->size ? line->outputs : NULL;
    enum error error = ERROR_NONE;
    why[0] = '\0';
    if (!at) {
        snprintf(why, GOLDEN_HOLD_SIZE, "the golden manifest has no outputs of this case");
        return ERROR_NONE;
    }
    at += sizeof outputs_key - 1;
    for (unsigned i = 0; request->operation->outputs[i] && !error && !why[0]; i++) {
        struct text made = {.bytes = NULL};
        char name[96];
        const int length = snprintf(name, sizeof name, "\"%s\": ", request->operation->outputs[i]);
        take(&at, end, ", ", 2);
        const char *const start = at;
        if (!tensor_present(&evaluation->tensor[i]))
            continue;
        // States may be asked for beside what the case asks for.
        if (!take(&at, end, name, (size_t)length) && (int)i == operation_observable(request))
            continue;
        at = start;
        error = put_output(&made, request, evaluation, i, diagnostic);
        if (!error && !take(&at, end, made.bytes + 1, made.size - 1))
            snprintf(why, GOLDEN_HOLD_SIZE,
                     "the reference of this build and the golden vectors differ in output %s: "
                     "`assay emit --check` says where",
                     request->operation->outputs[i]);
        text_release(&made);
    }
    if (!error && !why[0] && !take(&at, end, "}", 1))
        snprintf(why, GOLDEN_HOLD_SIZE,
                 "the golden vectors have an output that the reference of this build does not "
                 "give: `assay emit --check` says more");
    return error;
}
