// SPDX-License-Identifier: Apache-2.0
// Which files a target consists of: those that its processes read or ran (watch.h), those that its
// worker has mapped to be executed (/proc/PID/maps), among them what the harness is linked with,
// and, of a process target, the files and folders that it named itself. The harness's own program,
// which a plugin's worker is, is left out.

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "harness/host/target.h"
#include "ref/base/digest_file.h"

enum { LOADED_MAX = 16384 };

struct loaded {
    struct arena *arena;
    char **path;
    size_t count;
};

// Whether the name is in the list, or below one of the list's folders: these cover what is read.
static bool holds(char *const *path, size_t count, const char *name)
{
    const bool covered = name[0] && name[strlen(name) - 1] != DIGEST_CHANGED;
    for (size_t i = 0; i < count; i++) {
        const size_t length = strlen(path[i]);
        if (!strcmp(path[i], name) ||
            (covered && length && path[i][length - 1] == '/' && !strncmp(path[i], name, length)))
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

// Adds every regular file that the process has mapped to be executed, but the program that serves
// as worker.
static enum error add_mapped(struct loaded *loaded, const struct host *host,
                             struct diagnostic *diagnostic)
{
    char name[64], line[PATH_MAX + 256], worker[PATH_MAX];
    snprintf(name, sizeof name, "/proc/%ld/maps", (long)host->process.id);
    if (!host->options.plugin || !realpath(host->options.executable, worker))
        worker[0] = '\0';
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
        if (strcmp(path, worker) != 0 && !stat(path, &status) && S_ISREG(status.st_mode))
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
    if (!host->seen)
        host->seen = arena_take_array(&host->arena, LOADED_MAX, sizeof *host->seen);
    struct loaded loaded = {&host->arena, host->seen, host->seen_count};
    enum error error = host->seen ? ERROR_NONE : diagnostic_no_memory(diagnostic);
    const bool running = host->process.id || (host->options.plugin ? !plugin_start(host, NULL)
                                                                   : !program_start(host, NULL));
    for (size_t i = 0; !error && i < host->file_count;
         i++) // folders first: they cover what lies below
        error = add(&loaded, host->file[i], diagnostic);
    if (!error && running) // else it does not start any more, and what was seen counts
        error = add_mapped(&loaded, host, diagnostic);
    const char *read = NULL;
    while (!error && host->watch && (read = watch_file(host->watch, host->watch_taken))) {
        error = add(&loaded, read, diagnostic);
        host->watch_taken++;
    }
    host->seen_count = loaded.count;
    return error;
}

enum error host_files(struct host *host, struct arena *arena, char ***paths, size_t *count,
                      struct diagnostic *diagnostic)
{
    *count = 0;
    enum error error = host->options.replay ? ERROR_NONE : look(host, diagnostic);
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

const char *host_environment(char *const *own, struct arena *arena)
{
    const char *text = "";
    if (!getenv(WATCH_ASKED))
        return NULL;
    for (; own && *own && text; own++)
        text = arena_print(arena, "%s%s, ", text, *own);
    text = text ? arena_print(arena, "%s%s for plugins, and as they were there:", text, spawn_heap)
                : NULL;
    for (const char *const *kept = spawn_kept; *kept && text; kept++)
        text = arena_print(arena, "%s%s%s", text, kept == spawn_kept ? " " : ", ", *kept);
    return text;
}

const char *host_unseen(struct host *host)
{
    const struct watch_gaps gaps =
        host->watch ? watch_gaps(host->watch) : (struct watch_gaps){.unwatched = true};
    return gaps.unwatched ? "files were not watched, as certify --sign does: known are those that "
                            "were mapped after a suite, and those that it named"
           : gaps.unread  ? "some files that were read could not be named"
           : gaps.hidden  ? "the target asked for ways to open files that cannot be watched"
           : gaps.changed ? "some files that were read have changed since, are gone, or have come"
                          : NULL;
}
