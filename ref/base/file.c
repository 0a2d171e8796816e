// SPDX-License-Identifier: Apache-2.0
// Files read whole and replaced whole.

#include "ref/base/file.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ref/base/leftover.h"

enum { BUFFER_SIZE = 256 * 1024, FIRST_GUESS = 64 * 1024 };

static enum error failed(struct diagnostic *diagnostic, enum error error, const char *path,
                         const char *what)
{
    return diagnostic_fail(diagnostic, error, "cannot %s %.400s: %s", what, path, strerror(errno));
}

// Reads until the end of the file; its size is only a guess, since pipes have none and files grow.
static enum error read_all(int descriptor, size_t guess, struct document_source *source,
                           struct arena *arena, struct diagnostic *diagnostic)
{
    size_t capacity = guess + 1, size = 0;
    char *bytes = arena_take(arena, capacity);
    for (;;) {
        if (!bytes)
            return diagnostic_no_memory(diagnostic);
        const ssize_t got = read(descriptor, bytes + size, capacity - size);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return failed(diagnostic, error_of_reading(errno), source->name, "read");
        if (!got)
            break;
        size += (size_t)got;
        if (size > DOCUMENT_BYTES_MAX)
            return diagnostic_fail(diagnostic, ERROR_INPUT, "%s is larger than %d bytes",
                                   source->name, DOCUMENT_BYTES_MAX);
        if (size == capacity) {
            char *const longer = arena_take(arena, 2 * capacity);
            if (longer)
                memcpy(longer, bytes, size);
            bytes = longer;
            capacity *= 2;
        }
    }
    source->text = bytes;
    source->size = size;
    return ERROR_NONE;
}

enum error file_read(const char *path, struct arena *arena, struct document_source *source,
                     struct diagnostic *diagnostic)
{
    const bool standard = !strcmp(path, "-");
    const int descriptor = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return failed(diagnostic, error_of_reading(errno), path, "open");
    *source = (struct document_source){.name = arena_copy_text(arena, path, strlen(path))};
    struct stat status;
    enum error error = ERROR_NONE;
    if (!source->name)
        error = diagnostic_no_memory(diagnostic);
    else if (fstat(descriptor, &status) < 0)
        error = failed(diagnostic, error_of_reading(errno), path, "look at");
    else if (S_ISDIR(status.st_mode))
        error =
            diagnostic_fail(diagnostic, ERROR_INPUT, "%.400s is a folder; expected a file", path);
    else if (S_ISREG(status.st_mode) && status.st_size > DOCUMENT_BYTES_MAX)
        error = diagnostic_fail(diagnostic, ERROR_INPUT, "%.400s is larger than %d bytes", path,
                                DOCUMENT_BYTES_MAX);
    else
        error = read_all(descriptor, S_ISREG(status.st_mode) ? (size_t)status.st_size : FIRST_GUESS,
                         source, arena, diagnostic);
    if (!standard)
        close(descriptor);
    return error;
}

const char *file_name(const char *path)
{
    const char *const slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

const char *file_stem(const char *path, struct arena *arena)
{
    const char *const name = file_name(path), *const dot = strrchr(name, '.');
    return arena_copy_text(arena, name, dot && dot != name ? (size_t)(dot - name) : strlen(name));
}

bool file_take(int descriptor, uint64_t at, void *bytes, size_t size, size_t *got)
{
    for (*got = 0; *got < size;) {
        char *const to = (char *)bytes + *got;
        const ssize_t n = at == FILE_HERE ? read(descriptor, to, size - *got)
                                          : pread(descriptor, to, size - *got, (off_t)(at + *got));
        if (n == 0)
            return true;
        if (n < 0 && errno != EINTR)
            return false;
        *got += n < 0 ? 0 : (size_t)n;
    }
    return true;
}

bool file_give(int descriptor, const void *bytes, size_t size)
{
    for (size_t done = 0; done < size;) {
        const ssize_t n = write(descriptor, (const char *)bytes + done, size - done);
        if (n == 0)
            errno = EIO; // it would never end
        if (n == 0 || (n < 0 && errno != EINTR))
            return false;
        done += n < 0 ? 0 : (size_t)n;
    }
    return true;
}

size_t file_read_start(const char *path, char *text, size_t size)
{
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    size_t got = 0;
    if (descriptor >= 0) {
        file_take(descriptor, FILE_HERE, text, size - 1, &got);
        close(descriptor);
    }
    text[got] = '\0';
    return got;
}

// The file that a symbolic link leads to is replaced, not the link. NULL: no memory.
static char *resolve(const char *path)
{
    struct stat status;
    char real[PATH_MAX];
    const bool leads = !lstat(path, &status) && S_ISLNK(status.st_mode) && realpath(path, real);
    return strdup(leads ? real : path);
}

// An open file of this process keeps its place when it is written to, whatever it leads to.
static int open_direct(const char *path)
{
    int descriptor;
    char end;
    if (sscanf(path, "/dev/fd/%d%c", &descriptor, &end) == 1)
        return fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
    return open(path, O_WRONLY | O_CLOEXEC);
}

enum error file_replace(struct file_replacement *file, const char *path,
                        struct diagnostic *diagnostic)
{
    struct stat status;
    // Of a pipe, a device or an open file there is none to replace.
    const bool there = !stat(path, &status),
               direct = there && (!S_ISREG(status.st_mode) || !strncmp(path, "/dev/fd/", 8));
    *file = (struct file_replacement){.descriptor = -1};
    if (there && S_ISDIR(status.st_mode))
        return diagnostic_fail(diagnostic, ERROR_SYSTEM, "cannot replace %.400s: it is a folder",
                               path);
    file->path = resolve(path);
    file->buffer = malloc(BUFFER_SIZE);
    if (!file->path || !file->buffer) {
        file_abandon(file);
        return diagnostic_no_memory(diagnostic);
    }
    file->descriptor =
        direct ? open_direct(path) : leftover_open_part(file->path, &file->temporary);
    if (file->descriptor < 0) {
        const enum error error =
            failed(diagnostic, errno == ENOMEM ? ERROR_INTERNAL : ERROR_SYSTEM, path, "write");
        file_abandon(file);
        return error;
    }
    if (!direct)
        leftover_sweep_parts(file->path);
    return ERROR_NONE;
}

static enum error flush(struct file_replacement *file, struct diagnostic *diagnostic)
{
    if (!file_give(file->descriptor, file->buffer, file->used))
        return failed(diagnostic, ERROR_SYSTEM, file->path, "write");
    file->used = 0;
    return ERROR_NONE;
}

enum error file_put(struct file_replacement *file, const void *bytes, size_t size,
                    struct diagnostic *diagnostic)
{
    assert(file->used < BUFFER_SIZE);
    const char *at = bytes;
    while (size) {
        const size_t room = BUFFER_SIZE - file->used, part = size < room ? size : room;
        memcpy(file->buffer + file->used, at, part);
        file->used += part;
        at += part;
        size -= part;
        enum error error;
        if (file->used == BUFFER_SIZE && (error = flush(file, diagnostic)))
            return error;
    }
    return ERROR_NONE;
}

// A rename lasts only when the folder that records it has reached the disk.
static enum error flush_folder(const char *path, struct diagnostic *diagnostic)
{
    const char *const slash = strrchr(path, '/');
    char *const folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
    if (!folder)
        return diagnostic_no_memory(diagnostic);
    enum error error = ERROR_NONE;
    const int descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    // Some file systems cannot flush a folder and say EINVAL.
    if (descriptor < 0 || (fsync(descriptor) < 0 && errno != EINVAL))
        error = failed(diagnostic, ERROR_SYSTEM, folder, "flush");
    if (descriptor >= 0)
        close(descriptor);
    free(folder);
    return error;
}

// Some file systems have no second names for a file; then an existing one is looked for and the
// other may come between.
static int put_if_none(const char *from, const char *to)
{
    if (!link(from, to))
        return unlink(from);
    if (errno == EEXIST)
        return unlink(from);
    if (errno != EPERM && errno != EOPNOTSUPP && errno != ENOSYS && errno != EMLINK)
        return -1;
    return access(to, F_OK) ? rename(from, to) : unlink(from);
}

static enum error commit(struct file_replacement *file, bool replace, struct diagnostic *diagnostic)
{
    const bool direct = !file->temporary;
    enum error error = flush(file, diagnostic);
    if (!error && !direct && fsync(file->descriptor) < 0)
        error = failed(diagnostic, ERROR_SYSTEM, file->temporary, "flush");
    // Its lock is given back by closing, so the name comes first.
    if (!error && !direct &&
        (replace ? rename(file->temporary, file->path) : put_if_none(file->temporary, file->path)) <
            0)
        error = failed(diagnostic, ERROR_SYSTEM, file->path, "replace");
    if (!error && !direct) {
        free(file->temporary);
        file->temporary = NULL;
    }
    if (close(file->descriptor) < 0 && !error)
        error = failed(diagnostic, ERROR_SYSTEM, file->path, "close");
    file->descriptor = -1;
    if (!error && !direct)
        error = flush_folder(file->path, diagnostic);
    file_abandon(file);
    return error;
}

enum error file_commit(struct file_replacement *file, struct diagnostic *diagnostic)
{
    return commit(file, true, diagnostic);
}
void file_abandon(struct file_replacement *file)
{
    if (!file->path && !file->temporary && !file->buffer)
        return;
    if (file->descriptor >= 0)
        close(file->descriptor);
    if (file->temporary)
        unlink(file->temporary);
    free(file->path);
    free(file->temporary);
    free(file->buffer);
    *file = (struct file_replacement){.descriptor = -1};
}

static enum error write_whole(const char *path, const void *bytes, size_t size, bool replace,
                              struct diagnostic *diagnostic)
{
    struct file_replacement file;
    enum error error = file_replace(&file, path, diagnostic);
    if (error)
        return error;
    if ((error = file_put(&file, bytes, size, diagnostic))) {
        file_abandon(&file);
        return error;
    }
    return commit(&file, replace, diagnostic);
}

enum error file_replace_with(const char *path, const void *bytes, size_t size,
                             struct diagnostic *diagnostic)
{
    return write_whole(path, bytes, size, true, diagnostic);
}

enum error file_make_with(const char *path, const void *bytes, size_t size,
                          struct diagnostic *diagnostic)
{
    return write_whole(path, bytes, size, false, diagnostic);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static enum error take_names(DIR *directory, const char *folder, const char *suffix,
                             struct arena *arena, char **names, size_t *count,
                             struct diagnostic *diagnostic)
{
    const size_t tail = strlen(suffix);
    for (const struct dirent *entry = readdir(directory); entry; entry = readdir(directory)) {
        const size_t length = strlen(entry->d_name);
        if (length <= tail || entry->d_name[0] == '.' ||
            strcmp(entry->d_name + length - tail, suffix) != 0)
            continue;
        if (*count == FILE_LIST_MAX)
            return diagnostic_fail(diagnostic, ERROR_INPUT, "%.400s holds more than %d files *%s",
                                   folder, FILE_LIST_MAX, suffix);
        names[*count] = arena_copy_text(arena, entry->d_name, length - tail);
        if (!names[(*count)++])
            return diagnostic_no_memory(diagnostic);
    }
    return ERROR_NONE;
}

enum error file_list(const char *folder, const char *suffix, struct arena *arena, char ***names,
                     size_t *count, struct diagnostic *diagnostic)
{
    *count = 0;
    *names = arena_take_array(arena, FILE_LIST_MAX, sizeof **names);
    if (!*names)
        return diagnostic_no_memory(diagnostic);
    DIR *const directory = opendir(folder);
    if (!directory && (errno == ENOENT || errno == ENOTDIR))
        return ERROR_NONE;
    if (!directory)
        return diagnostic_fail(diagnostic, error_of_reading(errno), "cannot open %.400s: %s",
                               folder, strerror(errno));
    const enum error error =
        take_names(directory, folder, suffix, arena, *names, count, diagnostic);
    closedir(directory);
    qsort(*names, *count, sizeof **names, by_text);
    return error;
}
