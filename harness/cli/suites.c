// SPDX-License-Identifier: Apache-2.0
// Which suites a command works on.

#include "harness/cli/suites.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/cli/cli.h"

enum { PATH_SIZE = 4096, SUITES_MAX = 1024 };

static int compare_paths(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool is_suite_file(const char *name)
{
    const size_t length = strlen(name);
    return length > 5 && name[0] != '.' && !strcmp(name + length - 5, ".yaml");
}

static enum error find_all(const char *folder, struct arena *arena, const char **paths, size_t *count,
                           struct diagnostic *diagnostic)
{
    DIR *const directory = opendir(folder);
    if (!directory)
        return diagnostic_fail(diagnostic, ERROR_INPUT, "cannot open the suites' folder %.400s: %s", folder, strerror(errno));
    enum error error = ERROR_NONE;
    for (const struct dirent *entry; !error && (entry = readdir(directory));) {
        if (!is_suite_file(entry->d_name) || *count == SUITES_MAX)
            continue;
        paths[*count] = arena_print(arena, "%s/%s", folder, entry->d_name);
        if (!paths[(*count)++])
            error = diagnostic_fail(diagnostic, ERROR_INTERNAL, "out of memory");
    }
    closedir(directory);
    if (!error)
        qsort(paths, *count, sizeof *paths, compare_paths);
    return error;
}

enum error cli_find_suites(const char *only, struct arena *arena, const char ***paths, size_t *count,
                           struct diagnostic *diagnostic)
{
    char folder[PATH_SIZE];
    cli_data_path("yaml/suites", folder, sizeof folder);
    *count = 0;
    *paths = arena_take_array(arena, SUITES_MAX, sizeof(const char *));
    if (!*paths)
        return diagnostic_fail(diagnostic, ERROR_INTERNAL, "out of memory");
    if (!only)
        return find_all(folder, arena, *paths, count, diagnostic);
    const bool is_path = is_suite_file(only);
    (*paths)[0] = is_path ? arena_print(arena, "%s", only) : arena_print(arena, "%s/%s.yaml", folder, only);
    if (!(*paths)[0])
        return diagnostic_fail(diagnostic, ERROR_INTERNAL, "out of memory");
    if (access((*paths)[0], R_OK))
        return diagnostic_fail(diagnostic, ERROR_INPUT, "there is no suite '%.200s'; `assay list suites` names them all", only);
    *count = 1;
    return ERROR_NONE;
}
