// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/suite_table.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "harness/cli/cli.h"
#include "harness/cli/project.h"
#include "ref/base/file.h"
#include "ref/base/nearest.h"
#include "ref/base/threads.h"
#include "vectors/stored.h"
#include "yaml/suite.h"

enum { SUITES_MAX = 2 * FILE_LIST_MAX };

// Suites by path, of which a name may mean the first that has it. The first `all` are meant where
// none is named: those of the project or, without one, those that assay comes with.
struct suite_list {
    char *path[SUITES_MAX];
    size_t count, all;
};

// Whether the path stands there already.
static bool stands(char *const *paths, size_t count, const char *path)
{
    for (size_t i = 0; i < count; i++)
        if (!strcmp(paths[i], path))
            return true;
    return false;
}

static enum error add(char **paths, size_t *count, char *path, struct diagnostic *diagnostic)
{
    if (!path)
        return diagnostic_no_memory(diagnostic);
    if (*count == SUITES_MAX)
        return diagnostic_fail(diagnostic, ERROR_INPUT, "more than %d suites", SUITES_MAX);
    paths[(*count)++] = path;
    return ERROR_NONE;
}

static enum error list_file(const char *folder, const char *name, struct arena *arena,
                            struct suite_list *list, struct diagnostic *diagnostic)
{
    char *const path = arena_print(arena, "%s/%s.yaml", folder, name);
    return path && stands(list->path, list->count, path)
               ? ERROR_NONE
               : add(list->path, &list->count, path, diagnostic);
}

static enum error list_folder(const char *folder, struct arena *arena, struct suite_list *list,
                              struct diagnostic *diagnostic)
{
    char **names = NULL;
    size_t count = 0;
    enum error error = file_list(folder, ".yaml", arena, &names, &count, diagnostic);
    for (size_t i = 0; i < count && !error; i++)
        error = list_file(folder, names[i], arena, list, diagnostic);
    return error;
}

// What an item of the project's list means: a file, all of a folder, or a suite that assay comes
// with.
static enum error list_item(const struct project *project, const struct document_node *item,
                            struct arena *arena, struct suite_list *list,
                            struct diagnostic *diagnostic)
{
    char path[PATH_MAX], shipped[PATH_MAX];
    struct stat status;
    snprintf(path, sizeof path, "%s%s", item->text[0] == '/' ? "" : project->folder, item->text);
    if (!stat(path, &status))
        return S_ISDIR(status.st_mode)
                   ? list_folder(path, arena, list, diagnostic)
                   : add(list->path, &list->count, arena_copy_text(arena, path, strlen(path)),
                         diagnostic);
    cli_data_path("yaml/suites", shipped, sizeof shipped);
    if (snprintf(path, sizeof path, "%s/%s.yaml", shipped, item->text) < (int)sizeof path &&
        !strchr(item->text, '/') && !stat(path, &status))
        return list_file(shipped, item->text, arena, list, diagnostic);
    return document_fail(item, ERROR_INPUT, diagnostic,
                         "'%.80s' is no file, no folder and no suite that assay comes with",
                         item->text);
}

static enum error list_suites(const char *folder, struct arena *arena, struct suite_list *list,
                              struct diagnostic *diagnostic)
{
    struct project project;
    enum error error = project_find(arena, &project, diagnostic);
    const struct document_node *const own = error ? NULL : project.suites;
    for (size_t i = 0; own && i < own->count && !error; i++)
        error = list_item(&project, own->item[i], arena, list, diagnostic);
    list->all = list->count;
    if (!error)
        error = list_folder(folder, arena, list, diagnostic);
    if (!own)
        list->all = list->count;
    return error;
}

static enum error no_such_suite(const struct suite_list *list, const char *folder, const char *name,
                                size_t length, struct arena *arena, struct diagnostic *diagnostic)
{
    struct nearest nearest = {.asked = name, .length = length};
    char hint[NEAREST_HINT_SIZE];
    for (size_t i = 0; i < list->count && length; i++) {
        const char *const stem = file_stem(list->path[i], arena);
        nearest_offer(&nearest, stem ? stem : "");
    }
    return diagnostic_fail(diagnostic, ERROR_INPUT, "there is no suite '%.*s' in %s%s", (int)length,
                           name, folder, nearest_hint(&nearest, hint));
}

static bool is_named(const char *path, const char *name, size_t length)
{
    const char *const file = file_name(path);
    return !strncmp(file, name, length) && !strcmp(file + length, ".yaml");
}

static enum error take(char **paths, size_t *count, char *path, struct diagnostic *diagnostic)
{
    if (path && stands(paths, *count, path))
        return diagnostic_fail(diagnostic, ERROR_INPUT, "suite '%s' is named twice", path);
    return add(paths, count, path, diagnostic);
}

// Adds what one word of the command line means: a path, "all", or a name.
static enum error choose(const struct suite_list *list, const char *word, size_t length,
                         struct arena *arena, char **paths, size_t *count,
                         struct diagnostic *diagnostic)
{
    enum error error = ERROR_NONE;
    if (memchr(word, '/', length))
        return take(paths, count, arena_copy_text(arena, word, length), diagnostic);
    if (length == 3 && !strncmp(word, "all", 3)) {
        for (size_t i = 0; i < list->all && !error; i++)
            error = take(paths, count, list->path[i], diagnostic);
        return error;
    }
    for (size_t i = 0; i < list->count; i++)
        if (is_named(list->path[i], word, length))
            return take(paths, count, list->path[i], diagnostic);
    return ERROR_NONE;
}

enum error suites_choose(const char *names, struct arena *arena, char ***paths, size_t *count,
                         struct diagnostic *diagnostic)
{
    char folder[PATH_MAX];
    struct suite_list *const list = arena_take(arena, sizeof *list);
    *paths = arena_take_array(arena, SUITES_MAX, sizeof **paths);
    *count = 0;
    if (!list || !*paths)
        return diagnostic_no_memory(diagnostic);
    cli_data_path("yaml/suites", folder, sizeof folder);
    enum error error = list_suites(folder, arena, list, diagnostic);
    for (const char *at = names ? names : "all"; !error && *at;) {
        const size_t length = strcspn(at, ","), before = *count;
        error = choose(list, at, length, arena, *paths, count, diagnostic);
        if (!error && *count == before && names)
            error = no_such_suite(list, folder, at, length, arena, diagnostic);
        at += length + (at[length] == ',');
    }
    return error;
}

// Whether a suite's file lies elsewhere than those that assay comes with.
static bool is_own(const char *path)
{
    char folder[PATH_MAX], ours[PATH_MAX], theirs[PATH_MAX];
    snprintf(folder, sizeof folder, "%.*s", (int)(file_name(path) - path), path);
    return !realpath(cli_data_path("yaml/suites", ours, sizeof ours), theirs) ||
           !realpath(folder[0] ? folder : ".", ours) || strcmp(ours, theirs) != 0;
}

const char *suites_vectors(const struct suite *suite, char *path, size_t size)
{
    if (!suite->own)
        return cli_data_path("vectors/golden", path, size);
    snprintf(path, size, "%.*svectors", (int)(file_name(suite->path) - suite->path), suite->path);
    return path;
}

enum error suites_read_file(const char *path, struct suite *suite, struct diagnostic *diagnostic)
{
    char vectors[PATH_MAX];
    enum error error = suite_read(path, suite, diagnostic);
    suite->own = is_own(path);
    if (!error)
        error = stored_load(suite, suites_vectors(suite, vectors, sizeof vectors), diagnostic);
    return error;
}

struct reading {
    char *const *paths;
    struct suite *suites;
};

static enum error read_some(void *context, uint64_t first, uint64_t count,
                            struct diagnostic *diagnostic)
{
    const struct reading *const reading = context;
    enum error error = ERROR_NONE;
    for (uint64_t i = first; i < first + count && !error; i++)
        error = suites_read_file(reading->paths[i], &reading->suites[i], diagnostic);
    return error;
}

enum error suites_read(char *const *paths, size_t count, struct arena *arena, struct suite **suites,
                       struct diagnostic *diagnostic)
{
    *suites = arena_take_array(arena, count, sizeof **suites);
    if (!*suites)
        return diagnostic_no_memory(diagnostic);
    struct reading reading = {.paths = paths, .suites = *suites};
    return threads_run(0, count, 1, read_some, &reading, diagnostic);
}
