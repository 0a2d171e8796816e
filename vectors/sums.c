// SPDX-License-Identifier: Apache-2.0
// SHA256SUMS and CHANGES.

#include "vectors/sums.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "ref/base/digest.h"
#include "ref/base/digest_file.h"
#include "ref/base/file.h"
#include "ref/base/json.h"

enum { NAME_SIZE = 160, LINE_MAX_SIZE = DIGEST_HEX_SIZE + 2 + NAME_SIZE };

static const char *const endings[] = {"jsonl", "safetensors"};
enum { ENDINGS = sizeof endings / sizeof *endings };

// ---- lines ------------------------------------------------------------------

// The file's text, empty when there is no such file.
static enum error read_if_there(const char *path, struct arena *arena,
                                struct document_source *source, struct diagnostic *diagnostic)
{
    *source = (struct document_source){.name = path, .text = ""};
    if (!path)
        return diagnostic_no_memory(diagnostic);
    return access(path, F_OK) ? ERROR_NONE : file_read(path, arena, source, diagnostic);
}

// The line at *at, which moves behind it, without its newline; NULL at the end.
static const char *next_line(const struct document_source *text, size_t *at, size_t *length)
{
    if (*at >= text->size)
        return NULL;
    const char *const line = text->text + *at, *const newline =
                                                   memchr(line, '\n', text->size - *at);
    *length = newline ? (size_t)(newline - line) : text->size - *at;
    *at += *length + 1;
    return line;
}

static bool has_line(const struct document_source *text, const char *wanted)
{
    size_t length;
    const char *line;
    for (size_t at = 0; (line = next_line(text, &at, &length));)
        if (length + 1 == strlen(wanted) && at <= text->size && !memcmp(line, wanted, length))
            return true;
    return false;
}

// "DIGEST  NAME\n"
static enum error sum_line(const void *bytes, size_t size, const char *name,
                           char line[LINE_MAX_SIZE], struct diagnostic *diagnostic)
{
    unsigned char digest[DIGEST_SIZE];
    char hex[DIGEST_HEX_SIZE];
    const enum error error = digest_of(bytes, size, digest, diagnostic);
    if (error)
        return error;
    digest_write_hex(digest, hex);
    snprintf(line, LINE_MAX_SIZE, "%s  %s\n", hex, name);
    return ERROR_NONE;
}

static enum error sum_file(const char *folder, const char *name, char line[LINE_MAX_SIZE],
                           struct diagnostic *diagnostic)
{
    struct arena arena = {0};
    char hex[DIGEST_HEX_SIZE];
    const char *const path = arena_print(&arena, "%s/%s", folder, name);
    const enum error error =
        path ? digest_path(path, hex, diagnostic) : diagnostic_no_memory(diagnostic);
    if (!error)
        snprintf(line, LINE_MAX_SIZE, "%s  %s\n", hex, name);
    arena_release(&arena);
    return error;
}

// ---- SHA256SUMS -------------------------------------------------------------

enum { NAME_AT = DIGEST_HEX_SIZE - 1 + 2 }; // behind the digest and two spaces

static int compare_lines(const void *a, const void *b)
{
    const char *const left = *(const char *const *)a, *const right = *(const char *const *)b;
    const size_t skip_left = strnlen(left, NAME_AT), skip_right = strnlen(right, NAME_AT);
    return strcmp(left + skip_left, right + skip_right);
}

static bool is_of(const char *line, size_t length, const char *name)
{
    return length == NAME_AT + strlen(name) && !memcmp(line + NAME_AT, name, length - NAME_AT);
}

static enum error read_sums(const char *folder, struct arena *arena, struct document_source *sums,
                            struct diagnostic *diagnostic)
{
    return read_if_there(arena_print(arena, "%s/SHA256SUMS", folder), arena, sums, diagnostic);
}

// SHA256SUMS with these lines in the place of those of the names, in the order of names.
static enum error replace_lines(const char *folder, const char *const *name, size_t names,
                                char (*made)[LINE_MAX_SIZE], size_t count,
                                struct diagnostic *diagnostic)
{
    struct arena arena = {0};
    struct document_source old;
    struct text text = {0};
    enum error error = read_sums(folder, &arena, &old, diagnostic);
    size_t most = count + 1, length, lines = 0;
    for (size_t i = 0; !error && i < old.size; i++)
        most += old.text[i] == '\n';
    const char **const line = error ? NULL : arena_take_array(&arena, most, sizeof *line), *kept;
    for (size_t at = 0; line && (kept = next_line(&old, &at, &length));) {
        bool replaced = false;
        for (size_t i = 0; i < names; i++)
            replaced = replaced || is_of(kept, length, name[i]);
        if (!replaced)
            line[lines++] = arena_print(&arena, "%.*s\n", (int)length, kept);
    }
    for (size_t i = 0; line && i < count; i++)
        line[lines++] = made[i];
    if (!error && !arena.failed) {
        qsort(line, lines, sizeof *line, compare_lines);
        for (size_t i = 0; i < lines; i++)
            text_put(&text, line[i]);
    }
    if (!error)
        error = arena.failed || text.failed
                    ? diagnostic_no_memory(diagnostic)
                    : file_replace_with(old.name, text.bytes, text.size, diagnostic);
    text_release(&text);
    arena_release(&arena);
    return error;
}

enum error sums_update(const char *folder, const char *suite, struct diagnostic *diagnostic)
{
    char room[ENDINGS][NAME_SIZE], line[ENDINGS][LINE_MAX_SIZE];
    const char *name[ENDINGS];
    enum error error = ERROR_NONE;
    for (size_t i = 0; i < ENDINGS && !error; i++) {
        snprintf(room[i], NAME_SIZE, "%s.%s", suite, endings[i]);
        name[i] = room[i];
        error = sum_file(folder, name[i], line[i], diagnostic);
    }
    return error ? error : replace_lines(folder, name, ENDINGS, line, ENDINGS, diagnostic);
}

// A file has one sum: of two lines, one may be right and the other the one that a reader finds.
static enum error refuse_second(const struct document_source *sums, const char *name,
                                struct diagnostic *diagnostic)
{
    size_t length;
    const char *line;
    unsigned number = 1, found = 0;
    for (size_t at = 0; (line = next_line(sums, &at, &length)); number++)
        if (is_of(line, length, name) && found++)
            return diagnostic_fail(diagnostic, ERROR_INPUT,
                                   "SHA256SUMS states two sums of %s, the second in line %u", name,
                                   number);
    return ERROR_NONE;
}

enum error sums_check(const char *folder, const char *suite, struct diagnostic *diagnostic)
{
    struct arena arena = {0};
    struct document_source sums;
    const char *const path = arena_print(&arena, "%s/SHA256SUMS", folder);
    enum error error =
        path ? file_read(path, &arena, &sums, diagnostic) : diagnostic_no_memory(diagnostic);
    for (size_t i = 0; i < ENDINGS && !error; i++) {
        char name[NAME_SIZE], line[LINE_MAX_SIZE];
        snprintf(name, sizeof name, "%s.%s", suite, endings[i]);
        error = refuse_second(&sums, name, diagnostic);
        if (!error)
            error = sum_file(folder, name, line, diagnostic);
        if (!error && !has_line(&sums, line))
            error =
                diagnostic_fail(diagnostic, ERROR_INPUT,
                                "%s/%s does not have the sum that SHA256SUMS states", folder, name);
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

static const char *const changes_name = "../CHANGES"; // as seen from SHA256SUMS

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
        error = sum_line(text.bytes, text.size, changes_name, sums[0], diagnostic);
    if (!error)
        error = sum_line(old.text, old.size, changes_name, sums[1], diagnostic);
    if (!error)
        error = replace_lines(folder, &changes_name, 1, sums, 2, diagnostic);
    if (!error)
        error = file_replace_with(path, text.bytes, text.size, diagnostic);
    if (!error)
        error = replace_lines(folder, &changes_name, 1, sums, 1, diagnostic);
    text_release(&text);
    arena_release(&arena);
    return error;
}

enum error changes_check(const char *folder, const char *path, struct diagnostic *diagnostic)
{
    struct arena arena = {0};
    struct document_source sums = {.size = 0}, changes = {.size = 0};
    char line[LINE_MAX_SIZE];
    const char *kept;
    size_t length;
    bool stated = false;
    enum error error = read_sums(folder, &arena, &sums, diagnostic);
    if (!error)
        error = read_if_there(path, &arena, &changes, diagnostic);
    if (!error)
        error = sum_line(changes.text, changes.size, changes_name, line, diagnostic);
    for (size_t at = 0; !error && !stated && (kept = next_line(&sums, &at, &length));)
        stated = is_of(kept, length, changes_name);
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
    const char *entry;
    size_t length;
    for (size_t at = 0; !error && (entry = next_line(&file, &at, &length));) {
        char line[1024], of[160], what[16], which[160];
        snprintf(line, sizeof line, "%.*s", (int)length, entry);
        if (sscanf(line, "%*s %159s %*s %15s %159[^:]:", of, what, which) == 3 &&
            !strcmp(what, "removed") && !strcmp(of, suite) && !strcmp(which, id))
            error = diagnostic_fail(diagnostic, ERROR_INPUT,
                                    "case %s of %s was removed once: its id is not used again", id,
                                    suite);
    }
    arena_release(&arena);
    return error;
}
