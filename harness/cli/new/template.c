// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/new/template.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/cli/cli.h"
#include "ref/base/arena.h"
#include "ref/base/file.h"
#include "ref/base/text.h"

bool template_is_name(const char *name)
{
    return *name >= 'a' && *name <= 'z' && strlen(name) <= 64 &&
           strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_") == strlen(name);
}

enum error template_folder(const char *path, struct diagnostic *diagnostic)
{
    if (mkdir(path, 0777) && errno != EEXIST)
        return diagnostic_fail(diagnostic, ERROR_SYSTEM, "cannot make the folder %.400s: %s", path,
                               strerror(errno));
    return ERROR_NONE;
}

// The word whose mark begins at `at`, of which `left` bytes are there; NULL: none does.
static const struct template_word *find_word(const struct template_word *words, size_t count,
                                             const char *at, size_t left)
{
    for (size_t i = 0; i < count && *at == '@'; i++)
        if (strlen(words[i].mark) <= left && !strncmp(words[i].mark, at, strlen(words[i].mark)))
            return &words[i];
    return NULL;
}

enum error template_file(const char *template, const struct template_word *words, size_t count,
                         const char *path, struct diagnostic *diagnostic)
{
    char from[PATH_MAX];
    struct arena arena = {0};
    struct document_source source;
    struct text text = {0};
    enum error error =
        file_read(cli_data_path(template, from, sizeof from), &arena, &source, diagnostic);
    if (!error && !access(path, F_OK))
        error = diagnostic_fail(diagnostic, ERROR_INPUT,
                                "%.400s is there already; it was left as it is", path);
    for (size_t i = 0; !error && i < source.size;) {
        const struct template_word *const word =
            find_word(words, count, source.text + i, source.size - i);
        text_put_bytes(&text, word ? word->text : source.text + i, word ? strlen(word->text) : 1);
        i += word ? strlen(word->mark) : 1;
    }
    if (!error && text.failed)
        error = diagnostic_no_memory(diagnostic);
    if (!error)
        error = file_make_with(path, text.bytes, text.size, diagnostic);
    text_release(&text);
    arena_release(&arena);
    return error;
}
