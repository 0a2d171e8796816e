// SPDX-License-Identifier: Apache-2.0
// SHA256SUMS and CHANGES.

#include "vectors/sums.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "ref/base/digest.h"
#include "ref/base/file.h"
#include "ref/base/json.h"

enum { LINE_MAX_SIZE = DIGEST_HEX_SIZE + 2 + 160 };

static const char *const endings[] = {"jsonl", "safetensors"};
enum { ENDINGS = sizeof endings / sizeof *endings };

// The file's text, empty when there is no such file.
static enum error read_if_there(const char *path, struct arena *arena,
                                struct document_source *source, struct diagnostic *diagnostic)
{
    *source = (struct document_source){.name = path, .text = ""};
    return access(path, F_OK) ? ERROR_NONE : file_read(path, arena, source, diagnostic);
}

// "DIGEST  SUITE.ENDING\n"
static enum error sum_line(const char *folder, const char *suite, const char *ending,
                           char line[LINE_MAX_SIZE], struct diagnostic *diagnostic)
{
    struct arena arena = {0};
    struct document_source file;
    unsigned char digest[DIGEST_SIZE];
    char hex[DIGEST_HEX_SIZE];
    const char *const path = arena_print(&arena, "%s/%s.%s", folder, suite, ending);
    enum error error =
        path ? file_read(path, &arena, &file, diagnostic) : diagnostic_no_memory(diagnostic);
    if (!error)
        error = digest_of(file.text, file.size, digest, diagnostic);
    arena_release(&arena);
    if (error)
        return error;
    digest_write_hex(digest, hex);
    snprintf(line, LINE_MAX_SIZE, "%s  %s.%s\n", hex, suite, ending);
    return ERROR_NONE;
}

// The name in a line of SHA256SUMS: what follows the digest and two spaces.
static const char *name_of(const char *line, size_t length, size_t *name_length)
{
    const size_t skip = DIGEST_HEX_SIZE - 1 + 2;
    *name_length = length > skip ? length - skip : 0;
    return line + (length > skip ? skip : length);
}

static int compare_lines(const void *a, const void *b)
{
    const char *const left = *(const char *const *)a, *const right = *(const char *const *)b;
    size_t n, m;
    return strcmp(name_of(left, strlen(left), &n), name_of(right, strlen(right), &m));
}

static bool is_of(const char *line, size_t length, const char *suite)
{
    size_t name_length;
    const char *const name = name_of(line, length, &name_length);
    const size_t suite_length = strlen(suite);
    for (size_t i = 0; i < ENDINGS; i++)
        if (name_length == suite_length + 1 + strlen(endings[i]) &&
            !strncmp(name, suite, suite_length) && name[suite_length] == '.' &&
            !strncmp(name + suite_length + 1, endings[i], strlen(endings[i])))
            return true;
    return false;
}

enum error sums_update(const char *folder, const char *suite, struct diagnostic *diagnostic)
{
    struct arena arena = {0};
    struct document_source old;
    struct text text = {0};
    const char *const path = arena_print(&arena, "%s/SHA256SUMS", folder);
    enum error error =
        path ? read_if_there(path, &arena, &old, diagnostic) : diagnostic_no_memory(diagnostic);
    size_t most = ENDINGS + 1, count = 0;
    for (size_t i = 0; !error && i < old.size; i++)
        most += old.text[i] == '\n';
    const char **const line = error ? NULL : arena_take_array(&arena, most, sizeof *line);
    if (!error && !line)
        error = diagnostic_no_memory(diagnostic);
    for (size_t at = 0; !error && at < old.size;) {
        const char *const newline = memchr(old.text + at, '\n', old.size - at);
        const size_t length = newline ? (size_t)(newline - old.text) - at : old.size - at;
        if (!is_of(old.text + at, length, suite))
            line[count++] = arena_print(&arena, "%.*s\n", (int)length, old.text + at);
        at += length + 1;
    }
    for (size_t i = 0; i < ENDINGS && !error; i++) {
        char made[LINE_MAX_SIZE];
        if (!(error = sum_line(folder, suite, endings[i], made, diagnostic)))
            line[count++] = arena_copy_text(&arena, made, strlen(made));
    }
    for (size_t i = 0; i < count && !error; i++)
        if (!line[i])
            error = diagnostic_no_memory(diagnostic);
    if (!error) {
        qsort(line, count, sizeof *line, compare_lines);
        for (size_t i = 0; i < count; i++)
            text_put_bytes(&text, line[i], strlen(line[i]));
        error = text.failed ? diagnostic_no_memory(diagnostic)
                            : file_replace_with(path, text.bytes, text.size, diagnostic);
    }
    text_release(&text);
    arena_release(&arena);
    return error;
}

static bool has_line(const struct document_source *sums, const char *line)
{
    const size_t length = strlen(line);
    for (size_t at = 0; at + length <= sums->size;) {
        if (!memcmp(sums->text + at, line, length))
            return true;
        const char *const newline = memchr(sums->text + at, '\n', sums->size - at);
        if (!newline)
            break;
        at = (size_t)(newline - sums->text) + 1;
    }
    return false;
}

enum error sums_check(const char *folder, const char *suite, struct diagnostic *diagnostic)
{
    struct arena arena = {0};
    struct document_source sums;
    const char *const path = arena_print(&arena, "%s/SHA256SUMS", folder);
    enum error error =
        path ? file_read(path, &arena, &sums, diagnostic) : diagnostic_no_memory(diagnostic);
    for (size_t i = 0; i < ENDINGS && !error; i++) {
        char line[LINE_MAX_SIZE];
        error = sum_line(folder, suite, endings[i], line, diagnostic);
        if (!error && !has_line(&sums, line))
            error = diagnostic_fail(diagnostic, ERROR_INPUT,
                                    "%s/%s.%s does not have the sum that SHA256SUMS states", folder,
                                    suite, endings[i]);
    }
    arena_release(&arena);
    return error;
}

// ---- CHANGES ----------------------------------------------------------------

static void write_date(char date[16])
{
    const char *const epoch = getenv("SOURCE_DATE_EPOCH");
    const time_t now = epoch ? (time_t)strtoll(epoch, NULL, 10) : time(NULL);
    struct tm utc;
    if (!gmtime_r(&now, &utc) || !strftime(date, 16, "%Y-%m-%d", &utc))
        snprintf(date, 16, "0000-00-00");
}

static const char changes_name[] = "../CHANGES"; // as seen from SHA256SUMS

// "DIGEST  ../CHANGES\n"
static enum error changes_line(const char *text, size_t size, char line[LINE_MAX_SIZE],
                               struct diagnostic *diagnostic)
{
    unsigned char digest[DIGEST_SIZE];
    char hex[DIGEST_HEX_SIZE];
    const enum error error = digest_of(text, size, digest, diagnostic);
    if (error)
        return error;
    digest_write_hex(digest, hex);
    snprintf(line, LINE_MAX_SIZE, "%s  %s\n", hex, changes_name);
    return ERROR_NONE;
}

// SHA256SUMS with these lines for CHANGES, and the others as they are.
static enum error put_changes_lines(const char *folder, char (*lines)[LINE_MAX_SIZE], size_t count,
                                    struct diagnostic *diagnostic)
{
    struct arena arena = {0};
    struct document_source old;
    struct text text = {0};
    const char *const path = arena_print(&arena, "%s/SHA256SUMS", folder);
    enum error error =
        path ? read_if_there(path, &arena, &old, diagnostic) : diagnostic_no_memory(diagnostic);
    for (size_t i = 0; i < count && !error; i++)
        text_put_bytes(&text, lines[i], strlen(lines[i]));
    for (size_t at = 0; !error && at < old.size;) {
        const char *const newline = memchr(old.text + at, '\n', old.size - at);
        const size_t length = newline ? (size_t)(newline - old.text) - at : old.size - at;
        size_t name_length;
        const char *const name = name_of(old.text + at, length, &name_length);
        if (name_length != sizeof changes_name - 1 ||
            strncmp(name, changes_name, name_length) != 0) {
            text_put_bytes(&text, old.text + at, length);
            text_put_bytes(&text, "\n", 1);
        }
        at += length + 1;
    }
    if (!error)
        error = text.failed ? diagnostic_no_memory(diagnostic)
                            : file_replace_with(path, text.bytes, text.size, diagnostic);
    text_release(&text);
    arena_release(&arena);
    return error;
}

enum error changes_append(const char *folder, const char *path, const struct change *change,
                          size_t count, struct diagnostic *diagnostic)
{
    struct arena arena = {0};
    struct document_source old;
    struct text text = {0};
    char date[16], sums[2][LINE_MAX_SIZE];
    write_date(date);
    enum error error = read_if_there(path, &arena, &old, diagnostic);
    if (!error)
        text_put_bytes(&text, old.text, old.size);
    for (size_t i = 0; i < count && !error; i++) {
        const struct change *const c = &change[i];
        const char *const line = arena_print(&arena, "%s %s %s %s %s: %s\n", date, c->suite,
                                             c->version, c->what, c->id, c->reason);
        if (!line)
            error = diagnostic_no_memory(diagnostic);
        else if (!has_line(&old, line)) // a run that was cut off has said so already
            text_put_bytes(&text, line, strlen(line));
    }
    if (!error && text.failed)
        error = diagnostic_no_memory(diagnostic);
    if (!error)
        error = changes_line(text.bytes, text.size, sums[0], diagnostic);
    if (!error)
        error = changes_line(old.text, old.size, sums[1], diagnostic);
    if (!error)
        error = put_changes_lines(folder, sums, 2, diagnostic);
    if (!error)
        error = file_replace_with(path, text.bytes, text.size, diagnostic);
    if (!error)
        error = put_changes_lines(folder, sums, 1, diagnostic);
    text_release(&text);
    arena_release(&arena);
    return error;
}

enum error changes_check(const char *folder, const char *path, struct diagnostic *diagnostic)
{
    struct arena arena = {0};
    struct document_source sums = {.size = 0}, changes = {.size = 0};
    char line[LINE_MAX_SIZE];
    bool stated = false;
    const char *const list = arena_print(&arena, "%s/SHA256SUMS", folder);
    enum error error =
        list ? read_if_there(list, &arena, &sums, diagnostic) : diagnostic_no_memory(diagnostic);
    if (!error)
        error = read_if_there(path, &arena, &changes, diagnostic);
    if (!error)
        error = changes_line(changes.text, changes.size, line, diagnostic);
    for (size_t at = 0; !error && at < sums.size && !stated;) {
        const char *const newline = memchr(sums.text + at, '\n', sums.size - at);
        const size_t length = newline ? (size_t)(newline - sums.text) - at : sums.size - at;
        size_t name_length;
        const char *const name = name_of(sums.text + at, length, &name_length);
        stated =
            name_length == sizeof changes_name - 1 && !strncmp(name, changes_name, name_length);
        at += length + 1;
    }
    if (!error && (stated ? !has_line(&sums, line) : changes.size != 0))
        error = diagnostic_fail(
            diagnostic, ERROR_INPUT,
            "%s does not have the sum that SHA256SUMS states for %s: it says which cases were "
            "removed; take back the file that was kept",
            path, changes_name);
    arena_release(&arena);
    return error;
}

enum error changes_check_new_id(const char *path, const char *suite, const char *id,
                                struct diagnostic *diagnostic)
{
    struct arena arena = {0};
    struct document_source file;
    enum error error = read_if_there(path, &arena, &file, diagnostic);
    for (size_t at = 0; !error && at < file.size;) {
        const char *const newline = memchr(file.text + at, '\n', file.size - at);
        const size_t length = newline ? (size_t)(newline - file.text) - at : file.size - at;
        char line[1024], of[160], what[16], which[160];
        snprintf(line, sizeof line, "%.*s", (int)length, file.text + at);
        if (sscanf(line, "%*s %159s %*s %15s %159[^:]:", of, what, which) == 3 &&
            !strcmp(what, "removed") && !strcmp(of, suite) && !strcmp(which, id))
            error = diagnostic_fail(diagnostic, ERROR_INPUT,
                                    "case %s of %s was removed once: its id is not used again", id,
                                    suite);
        at += length + 1;
    }
    arena_release(&arena);
    return error;
}
