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

enum error template_file(const char *template, const char *name, const char *path,
                         struct diagnostic *diagnostic)
{
    static const char mark[] = "@NAME@";
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
        const bool here =
            source.size - i >= sizeof mark - 1 && !memcmp(source.text + i, mark, sizeof mark - 1);
        text_put_bytes(&text, here ? name : source.text + i, here ? strlen(name) : 1);
        i += here ? sizeof mark - 1 : 1;
    }
    if (!error && text.failed)
        error = diagnostic_no_memory(diagnostic);
    if (!error)
        error = file_make_with(path, text.bytes, text.size, diagnostic);
    text_release(&text);
    arena_release(&arena);
    return error;
}
