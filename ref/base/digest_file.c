// SPDX-License-Identifier: Apache-2.0
// A command names the program and the targets in its plan before the run, and in its results after
// it. So what large files were digested to is kept, and given again while a file is the one that
// was read: the same inode, of the same size, not changed since. The kernel notes a change by a
// clock of some milliseconds, so a file that was changed just now is always read.

#include "ref/base/digest_file.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "ref/base/arena.h"

struct listing {
    struct arena arena;
    char **name; // relative to the folder
    size_t count;
};

enum { KEPT = 16, LARGE = 1 << 20, SETTLED = 1 }; // files; bytes; seconds since the last change

static struct {
    struct stat of[KEPT];
    char hex[KEPT][DIGEST_HEX_SIZE];
    unsigned next; // which entry goes when all are taken
} kept;
static pthread_mutex_t keeping = PTHREAD_MUTEX_INITIALIZER;

static bool same_time(struct timespec a, struct timespec b)
{
    return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

bool digest_is_same_file(const struct stat *a, const struct stat *b)
{
    return a->st_ino == b->st_ino && a->st_dev == b->st_dev && a->st_size == b->st_size &&
           same_time(a->st_ctim, b->st_ctim) && same_time(a->st_mtim, b->st_mtim);
}

bool digest_is_settled(const struct stat *file, time_t now)
{
    return now - file->st_ctim.tv_sec > SETTLED;
}

static bool find_kept(const struct stat *file, char hex[DIGEST_HEX_SIZE])
{
    bool found = false;
    pthread_mutex_lock(&keeping);
    for (unsigned i = 0; i < KEPT && !found; i++) {
        found = kept.of[i].st_size && digest_is_same_file(&kept.of[i], file);
        if (found)
            memcpy(hex, kept.hex[i], DIGEST_HEX_SIZE);
    }
    pthread_mutex_unlock(&keeping);
    return found;
}

static void keep(const struct stat *file, const char hex[DIGEST_HEX_SIZE])
{
    pthread_mutex_lock(&keeping);
    kept.of[kept.next] = *file;
    memcpy(kept.hex[kept.next], hex, DIGEST_HEX_SIZE);
    kept.next = (kept.next + 1) % KEPT;
    pthread_mutex_unlock(&keeping);
}

static enum error digest_stream(FILE *file, const char *path, char hex[DIGEST_HEX_SIZE],
                                struct diagnostic *diagnostic)
{
    enum { PIECE = 256 * 1024 };
    unsigned char digest[DIGEST_SIZE];
    struct digest under_way = {0};
    unsigned char *const bytes = malloc(PIECE);
    enum error error =
        bytes ? digest_begin(&under_way, diagnostic) : diagnostic_no_memory(diagnostic);
    for (size_t size; !error && (size = fread(bytes, 1, PIECE, file)) > 0;)
        error = digest_add(&under_way, bytes, size, diagnostic);
    if (!error && ferror(file))
        error = diagnostic_fail(diagnostic, ERROR_INPUT, "cannot read %.400s", path);
    if (!error)
        error = digest_end(&under_way, digest, diagnostic);
    free(bytes);
    if (!error)
        digest_write_hex(digest, hex);
    return error;
}

static enum error digest_file(const char *path, char hex[DIGEST_HEX_SIZE],
                              struct diagnostic *diagnostic)
{
    struct stat before, after;
    const time_t now = time(NULL);
    FILE *const file = fopen(path, "rbe");
    if (!file)
        return diagnostic_fail(diagnostic, error_of_reading(errno), "cannot open %.400s: %s", path,
                               strerror(errno));
    const bool large = !fstat(fileno(file), &before) && before.st_size >= LARGE;
    enum error error = ERROR_NONE;
    if (!large || !find_kept(&before, hex)) {
        error = digest_stream(file, path, hex, diagnostic);
        if (!error && large && digest_is_settled(&before, now) && !fstat(fileno(file), &after) &&
            digest_is_same_file(&before, &after))
            keep(&before, hex);
    }
    fclose(file);
    return error;
}

static int by_bytes(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static enum error add_name(struct listing *listing, const char *name, struct diagnostic *diagnostic)
{
    if (listing->count == DIGEST_FOLDER_FILES_MAX)
        return diagnostic_fail(diagnostic, ERROR_INPUT, "more than %d files in a folder",
                               DIGEST_FOLDER_FILES_MAX);
    if (strchr(name, '\n'))
        return diagnostic_fail(diagnostic, ERROR_INPUT, "a file's name holds the end of a line");
    if (!array_grow(&listing->name, listing->count, sizeof *listing->name))
        return diagnostic_no_memory(diagnostic);
    listing->name[listing->count] = arena_copy_text(&listing->arena, name, strlen(name));
    return listing->name[listing->count++] ? ERROR_NONE : diagnostic_no_memory(diagnostic);
}

// Adds the files below `path`, whose name relative to the root is `prefix` (empty, or with a final
// slash).
static enum error list_folder(struct listing *listing, const char *path, const char *prefix,
                              unsigned depth, struct diagnostic *diagnostic)
{
    if (depth > DIGEST_FOLDER_DEPTH_MAX)
        return diagnostic_fail(diagnostic, ERROR_INPUT, "%.300s lies too deep", path);
    DIR *const folder = opendir(path);
    if (!folder)
        return diagnostic_fail(diagnostic, error_of_reading(errno), "cannot open %.400s: %s", path,
                               strerror(errno));
    enum error error = ERROR_NONE;
    for (const struct dirent *entry = readdir(folder); entry && !error; entry = readdir(folder)) {
        char below[PATH_MAX], name[PATH_MAX];
        struct stat itself, status;
        if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..") ||
            !strcmp(entry->d_name, "__pycache__"))
            continue;
        if (snprintf(below, sizeof below, "%s/%s", path, entry->d_name) >= (int)sizeof below ||
            snprintf(name, sizeof name, "%s%s", prefix, entry->d_name) >= (int)sizeof name - 1)
            error =
                diagnostic_fail(diagnostic, ERROR_INPUT, "a name below %.300s is too long", path);
        else if (lstat(below, &itself) || (stat(below, &status) && !S_ISLNK(itself.st_mode)))
            error = diagnostic_fail(diagnostic, error_of_reading(errno),
                                    "cannot look at %.400s: %s", below, strerror(errno));
        else if (S_ISDIR(itself.st_mode)) {
            strncat(name, "/", sizeof name - strlen(name) - 1);
            error = list_folder(listing, below, name, depth + 1, diagnostic);
        } else if (!stat(below, &status) && S_ISREG(status.st_mode))
            error = add_name(listing, name, diagnostic);
    }
    closedir(folder);
    return error;
}

static enum error digest_listing(const struct listing *listing, const char *root,
                                 char hex[DIGEST_HEX_SIZE], struct diagnostic *diagnostic)
{
    unsigned char digest[DIGEST_SIZE];
    struct digest whole = {0};
    enum error error = digest_begin(&whole, diagnostic);
    for (size_t i = 0; !error && i < listing->count; i++) {
        char path[2 * PATH_MAX], one[DIGEST_HEX_SIZE];
        snprintf(path, sizeof path, "%s/%s", root, listing->name[i]);
        error = digest_file(path, one, diagnostic);
        if (!error)
            error = digest_add(&whole, one, DIGEST_HEX_SIZE - 1, diagnostic);
        if (!error)
            error = digest_add(&whole, "  ", 2, diagnostic);
        if (!error)
            error = digest_add(&whole, listing->name[i], strlen(listing->name[i]), diagnostic);
        if (!error)
            error = digest_add(&whole, "\n", 1, diagnostic);
    }
    if (!error)
        error = digest_end(&whole, digest, diagnostic);
    if (!error)
        digest_write_hex(digest, hex);
    return error;
}

// The path before its final mark; false where it ends otherwise.
static bool take_marked(const char *path, char mark, char before[PATH_MAX])
{
    const size_t length = strlen(path);
    if (length < 2 || length > PATH_MAX || path[length - 1] != mark)
        return false;
    memcpy(before, path, length - 1);
    before[length - 1] = '\0';
    return true;
}

// What a path means that is no file's and ends with a mark, in bytes; -1: nothing.
static ssize_t read_marked(const char *path, char text[PATH_MAX])
{
    char before[PATH_MAX];
    if (take_marked(path, DIGEST_LINK, before))
        return readlink(before, text, PATH_MAX);
    if (take_marked(path, DIGEST_CHANGED, before))
        return 0;
    if (!take_marked(path, DIGEST_ABSENT, before))
        return -1;
    text[0] = '1';
    return access(before, F_OK) ? 0 : 1;
}

bool digest_is_there(const char *path)
{
    char text[PATH_MAX];
    return !access(path, R_OK) || read_marked(path, text) >= 0;
}

enum error digest_path(const char *path, char hex[DIGEST_HEX_SIZE], struct diagnostic *diagnostic)
{
    struct stat status;
    char text[PATH_MAX];
    const bool there = !stat(path, &status);
    const ssize_t size = there ? -1 : read_marked(path, text);
    if (size >= 0) {
        unsigned char digest[DIGEST_SIZE];
        const enum error error = digest_of(text, (size_t)size, digest, diagnostic);
        if (!error)
            digest_write_hex(digest, hex);
        return error;
    }
    if (!there)
        return diagnostic_fail(diagnostic, error_of_reading(errno), "cannot open %.400s: %s", path,
                               strerror(errno));
    if (S_ISREG(status.st_mode))
        return digest_file(path, hex, diagnostic);
    if (!S_ISDIR(status.st_mode))
        return diagnostic_fail(diagnostic, ERROR_INPUT, "%.400s is neither a file nor a folder",
                               path);
    struct listing listing = {.name = NULL};
    enum error error = list_folder(&listing, path, "", 0, diagnostic);
    if (!error && listing.count)
        qsort(listing.name, listing.count, sizeof *listing.name, by_bytes);
    if (!error)
        error = digest_listing(&listing, path, hex, diagnostic);
    free(listing.name);
    arena_release(&listing.arena);
    return error;
}
