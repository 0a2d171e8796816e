// SPDX-License-Identifier: Apache-2.0
// Golden vectors of a suite written in place of those that are kept. An existing case changes only
// with a reason, which is recorded before the new bytes are written.

#include "harness/cli/emit/emit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "ref/base/file.h"
#include "vectors/sums.h"

static bool is_change(const struct golden_difference *difference)
{
    return difference->change == GOLDEN_CHANGED || difference->change == GOLDEN_REMOVED;
}

// Replaces the version in its line of the suite's file by the next major one, and in `made`, with
// the digest that the file has then.
static enum error raise_version(const struct suite *suite, struct golden *made, struct arena *arena,
                                struct diagnostic *diagnostic)
{
    struct document_source file;
    enum error error = file_read(suite->path, arena, &file, diagnostic);
    if (error)
        return error;
    const char *at = file.text, *const end = file.text + file.size;
    for (unsigned line = 1; line < suite->version_line && at < end; line++)
        at = (const char *)memchr(at, '\n', (size_t)(end - at)) + 1;
    const char *const newline = memchr(at, '\n', (size_t)(end - at));
    const size_t length = newline ? (size_t)(newline - at) : (size_t)(end - at);
    const size_t old_length = strlen(suite->version);
    size_t column = 0;
    while (column + old_length <= length && strncmp(at + column, suite->version, old_length) != 0)
        column++;
    if (column + old_length > length)
        return diagnostic_fail(diagnostic, ERROR_INTERNAL, "the version of %s is not in its line",
                               suite->path);
    made->version = arena_print(arena, "%lu.0.0", strtoul(suite->version, NULL, 10) + 1);
    if (!made->version)
        return diagnostic_no_memory(diagnostic);
    struct text text = {0};
    text_put_bytes(&text, file.text, (size_t)(at - file.text) + column);
    text_put_bytes(&text, made->version, strlen(made->version));
    at += column + old_length;
    text_put_bytes(&text, at, (size_t)(end - at));
    char *const sha256 = arena_take(arena, DIGEST_HEX_SIZE);
    unsigned char digest[DIGEST_SIZE];
    if (!text.failed && sha256 && !(error = digest_of(text.bytes, text.size, digest, diagnostic)))
        digest_write_hex(digest, sha256);
    made->suite_sha256 = sha256;
    if (!error)
        error = text.failed || !sha256
                    ? diagnostic_no_memory(diagnostic)
                    : file_replace_with(suite->path, text.bytes, text.size, diagnostic);
    text_release(&text);
    return error;
}

// The reason for the change is written before the new bytes are.
static enum error record_changes(const struct emit *emit, const struct suite *suite,
                                 const char *kept_version, struct golden *made,
                                 const struct golden_difference *difference, size_t count,
                                 struct diagnostic *diagnostic)
{
    struct arena arena = {0};
    // An interrupted run may have raised it already.
    const bool raised = kept_version && strcmp(kept_version, suite->version) != 0;
    enum error error = raised ? ERROR_NONE : raise_version(suite, made, &arena, diagnostic);
    struct change *const change = arena_take_array(&arena, count, sizeof *change);
    size_t changes = 0;
    if (!error && !change)
        error = diagnostic_no_memory(diagnostic);
    for (size_t i = 0; i < count && !error; i++)
        if (is_change(&difference[i]))
            change[changes++] =
                (struct change){suite->name, made->version,
                                difference[i].change == GOLDEN_REMOVED ? "removed" : "changed",
                                difference[i].id, emit->reason};
    if (!error)
        error = changes_append(emit->folder, emit->changes, change, changes, diagnostic);
    if (!error) {
        error = golden_write(emit->folder, made, diagnostic);
        printf("%s: version %s, since %zu cases changed\n", suite->name, made->version, changes);
    }
    made->version = suite->version;
    made->suite_sha256 = suite->sha256;
    arena_release(&arena);
    return error;
}

static enum error check_new_ids(const struct emit *emit, const struct suite *suite,
                                const struct golden_difference *difference, size_t count,
                                struct diagnostic *diagnostic)
{
    enum error error = ERROR_NONE;
    for (size_t i = 0; i < count && !error; i++)
        if (difference[i].change == GOLDEN_ADDED)
            error = changes_check_new_id(emit->changes, suite->name, difference[i].id, diagnostic);
    return error;
}

enum error emit_write_suite(struct emit *emit, const struct suite *suite, struct golden *made,
                            struct diagnostic *diagnostic)
{
    struct golden kept;
    const bool first = emit_is_first(emit, suite);
    if (suite->own && mkdir(emit->folder, 0777) && errno != EEXIST)
        return diagnostic_fail(diagnostic, ERROR_SYSTEM, "cannot make %.400s: %s", emit->folder,
                               strerror(errno));
    enum error error =
        first ? ERROR_NONE : golden_read(emit->folder, suite->name, &kept, diagnostic);
    if (first)
        kept = (struct golden){.suite = suite->name};
    if (error == ERROR_INPUT && !emit->reason) {
        printf("%s: %s\n%s: the kept vectors cannot be read; give --reason to replace them\n",
               suite->name, diagnostic->text, suite->name);
        emit->differences++;
        golden_release(&kept);
        return ERROR_NONE;
    }
    if (error && error != ERROR_INPUT) {
        golden_release(&kept);
        return error;
    }
    const size_t most = kept.count + made->count + 1;
    struct golden_difference *const difference = calloc(most, sizeof *difference);
    size_t count = 0, changes = 0;
    error = difference ? ERROR_NONE : diagnostic_no_memory(diagnostic);
    if (!error)
        count = golden_compare(&kept, made, difference, most);
    for (size_t i = 0; i < count; i++)
        changes += is_change(&difference[i]);
    if (!error)
        error = check_new_ids(emit, suite, difference, count, diagnostic);
    if (!error && changes && !emit->reason) {
        for (size_t i = 0, shown = 0; i < count && shown < EMIT_SHOWN; i++)
            if (is_change(&difference[i]))
                emit_print_difference(suite->name, &difference[i]), shown++;
        printf("%s: %zu existing cases would change; nothing was written. Say why with --reason "
               "TEXT\n",
               suite->name, changes);
        emit->differences += changes;
    } else if (!error && changes) {
        error = record_changes(emit, suite, kept.version, made, difference, count, diagnostic);
    } else if (!error) {
        error = golden_write(emit->folder, made, diagnostic);
    }
    if (!error && (!changes || emit->reason)) {
        error = sums_update(emit->folder, suite->name, diagnostic);
        if (!error)
            printf("%s: %zu cases, %zu new, %zu changed\n", suite->name, made->count,
                   count - changes, changes);
    }
    free(difference);
    golden_release(&kept);
    return error;
}

enum error emit_write_elsewhere(const struct emit *emit, const struct suite *suite,
                                const struct golden *made, struct diagnostic *diagnostic)
{
    enum error error = golden_write(emit->to, made, diagnostic);
    if (!error)
        error = sums_update(emit->to, suite->name, diagnostic);
    if (!error)
        printf("%s: %zu cases\n", suite->name, made->count);
    return error;
}
