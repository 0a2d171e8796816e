// SPDX-License-Identifier: Apache-2.0
// Which files a target consists of: the shared objects that its process has mapped to be executed
// (/proc/PID/maps) and, of a process target, the files and folders that it named itself. What the
// harness has mapped as well (libc, libm, the program itself) is left out: the machine's
// description names their version. Scripts and data that a target reads are not seen.

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "harness/host/target.h"

enum { LOADED_MAX = 1024 };

struct loaded {
    struct arena *arena;
    char **path;
    size_t count;
};

// Whether the name is in the list, or below one of the list's folders.
static bool holds(char *const *path, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++) {
        const size_t length = strlen(path[i]);
        if (!strcmp(path[i], name) ||
            (length && path[i][length - 1] == '/' && !strncmp(path[i], name, length)))
            return true;
    }
    return false;
}

static enum error add(struct loaded *loaded, const char *path, struct diagnostic *diagnostic)
{
    if (holds(loaded->path, loaded->count, path))
        return ERROR_NONE;
    if (loaded->count == LOADED_MAX)
        return diagnostic_fail(diagnostic, ERROR_INPUT, "the target has loaded more than %d files",
                               LOADED_MAX);
    loaded->path[loaded->count] = arena_copy_text(loaded->arena, path, strlen(path));
    return loaded->path[loaded->count++] ? ERROR_NONE : diagnostic_no_memory(diagnostic);
}

// Adds every regular file that the process has mapped to be executed and that `without` does not
// name.
static enum error add_mapped(struct loaded *loaded, const char *process,
                             const struct loaded *without, struct diagnostic *diagnostic)
{
    char name[64], line[PATH_MAX + 256];
    snprintf(name, sizeof name, "/proc/%s/maps", process);
    errno = 0;
    FILE *const maps = fopen(name, "re");
    enum error error = ERROR_NONE;
    if (!maps && errno == ENOMEM)
        return diagnostic_no_memory(diagnostic);
    if (!maps)
        return ERROR_NONE; // it has ended: what was seen before counts
    while (!error && fgets(line, sizeof line, maps)) {
        char *const path = strchr(line, '/'), *const newline = strchr(line, '\n'),
                    *const space = strchr(line, ' ');
        struct stat status;
        if (!path || !newline || !space || space[3] != 'x')
            continue;
        *newline = '\0';
        if (!stat(path, &status) && S_ISREG(status.st_mode) &&
            !(without && holds(without->path, without->count, path)))
            error = add(loaded, path, diagnostic);
    }
    fclose(maps);
    return error;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

// Adds what the worker has loaded by now to what was seen before. A worker that has ended is
// started again: it loads at least what it loads at once.
static enum error look(struct host *host, struct diagnostic *diagnostic)
{
    char process[32];
    struct arena scratch = {0};
    struct loaded own = {&scratch, arena_take_array(&scratch, LOADED_MAX, sizeof *own.path), 0};
    if (!host->seen)
        host->seen = arena_take_array(&host->arena, LOADED_MAX, sizeof *host->seen);
    struct loaded loaded = {&host->arena, host->seen, host->seen_count};
    enum error error = own.path && host->seen ? ERROR_NONE : diagnostic_no_memory(diagnostic);
    const bool running = host->process.id || (host->options.plugin ? !plugin_start(host, NULL)
                                                                   : !program_start(host, NULL));
    for (size_t i = 0; !error && i < host->file_count;
         i++) // folders first: they cover what lies below
        error = add(&loaded, host->file[i], diagnostic);
    if (!error)
        error = add_mapped(&own, "self", NULL, diagnostic);
    snprintf(process, sizeof process, "%ld", (long)host->process.id);
    if (!error && running) // else it does not start any more, and what was seen counts
        error = add_mapped(&loaded, process, &own, diagnostic);
    host->seen_count = loaded.count;
    arena_release(&scratch);
    return error;
}

enum error host_files(struct host *host, struct arena *arena, char ***paths, size_t *count,
                      struct diagnostic *diagnostic)
{
    *count = 0;
    enum error error = look(host, diagnostic);
    if (error)
        return error;
    *paths = arena_take_array(arena, host->seen_count + 1, sizeof **paths);
    for (size_t i = 0; *paths && i < host->seen_count; i++) {
        (*paths)[i] = arena_copy_text(arena, host->seen[i], strlen(host->seen[i]));
        if (!(*paths)[i])
            return diagnostic_no_memory(diagnostic);
    }
    if (!*paths)
        return diagnostic_no_memory(diagnostic);
    *count = host->seen_count;
    if (*count)
        qsort(*paths, *count, sizeof **paths, by_text);
    return ERROR_NONE;
}
