// SPDX-License-Identifier: Apache-2.0
// One pass over the lines of the file.

#include "harness/judge/write/template.h"

#include <assert.h>
#include <string.h>

#include "ref/base/arena.h"
#include "ref/base/file.h"

struct filling {
    const struct template *template;
    const char *path;
    unsigned line;
    bool inside, keeps; // between @if and @end; what lies here is kept
    struct text *to;
    struct diagnostic *diagnostic;
};

struct text *template_add(struct template *template, const char *name)
{
    assert(template->count < TEMPLATE_VALUES_MAX);
    template->value[template->count].name = name;
    return &template->value[template->count++].text;
}

void template_set(struct template *template, const char *name, bool holds, const char *words)
{
    struct text *const text = template_add(template, name);
    if (holds)
        text_put(text, words);
}

void template_release(struct template *template)
{
    for (size_t i = 0; i < template->count; i++)
        text_release(&template->value[i].text);
    template->count = 0;
}

// The value called by the `size` bytes at `name`; NULL, with a diagnostic, when there is none.
static const struct text *find(const struct filling *filling, const char *name, size_t size)
{
    const struct template *const template = filling->template;
    for (size_t i = 0; i < template->count; i++)
        if (strlen(template->value[i].name) == size && !memcmp(template->value[i].name, name, size))
            return &template->value[i].text;
    diagnostic_fail(filling->diagnostic, ERROR_INPUT, "%s:%u: there is no value '%.*s'",
                    filling->path, filling->line, (int)size, name);
    return NULL;
}

static enum error fill_line(const struct filling *filling, const char *at, const char *end)
{
    const char *const start = at;
    for (const char *mark; (mark = memchr(at, '@', (size_t)(end - at)));) {
        const char *const close = memchr(mark + 1, '@', (size_t)(end - mark - 1));
        if (!close)
            return diagnostic_fail(filling->diagnostic, ERROR_INPUT, "%s:%u: a name does not end",
                                   filling->path, filling->line);
        const struct text *const value = find(filling, mark + 1, (size_t)(close - mark - 1));
        if (!value)
            return ERROR_INPUT;
        text_put_bytes(filling->to, at, (size_t)(mark - at));
        text_put_bytes(filling->to, value->bytes, value->size);
        filling->to->failed = filling->to->failed || value->failed;
        at = close + 1;
        if (mark == start && at == end)
            return ERROR_NONE;
    }
    text_put_bytes(filling->to, at, (size_t)(end - at));
    text_put_bytes(filling->to, "\n", 1);
    return ERROR_NONE;
}

// "@if NAME", "@else" or "@end".
static enum error turn(struct filling *filling, const char *at, const char *end)
{
    static const char begin[] = "@if ";
    const size_t size = (size_t)(end - at), word = sizeof begin - 1;
    if (size > word && !memcmp(at, begin, word) && !filling->inside) {
        const struct text *const value = find(filling, at + word, size - word);
        filling->inside = true;
        filling->keeps = value && value->size;
        return value ? ERROR_NONE : ERROR_INPUT;
    }
    if (!filling->inside)
        return diagnostic_fail(filling->diagnostic, ERROR_INPUT,
                               "%s:%u: '%.*s' stands without an @if", filling->path, filling->line,
                               (int)size, at);
    filling->inside = at[2] == 'l';
    filling->keeps = !filling->inside || !filling->keeps;
    return ERROR_NONE;
}

static bool is_turn(const char *at, const char *end)
{
    static const char *const words[] = {"@if ", "@else", "@end"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const size_t size = strlen(words[i]), left = (size_t)(end - at);
        if ((i ? left == size : left > size) && !memcmp(at, words[i], size))
            return true;
    }
    return false;
}

enum error template_write(const struct template *template, const char *folder, const char *name,
                          struct text *to, struct diagnostic *diagnostic)
{
    struct arena arena = {0};
    struct document_source file = {.size = 0};
    const char *const path = arena_print(&arena, "%s/%s", folder, name);
    struct filling filling = {
        .template = template, .path = path, .keeps = true, .to = to, .diagnostic = diagnostic};
    enum error error =
        path ? file_read(path, &arena, &file, diagnostic) : diagnostic_no_memory(diagnostic);
    for (size_t at = 0; at < file.size && !error;) {
        const char *const line = file.text + at,
                          *const newline = memchr(line, '\n', file.size - at),
                          *const end = newline ? newline : file.text + file.size;
        filling.line++;
        if (is_turn(line, end))
            error = turn(&filling, line, end);
        else if (filling.keeps)
            error = fill_line(&filling, line, end);
        at += (size_t)(end - line) + 1;
    }
    if (!error && filling.inside)
        error = diagnostic_fail(diagnostic, ERROR_INPUT, "%s: an @if has no @end", path);
    arena_release(&arena);
    return !error && to->failed ? diagnostic_no_memory(diagnostic) : error;
}
