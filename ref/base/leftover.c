// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE // getdents64
#include "ref/base/leftover.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ref/base/clock.h"

enum { KERNEL_SIZE = 9, TAG_LENGTH = 16, TRIES = 100, DAY = 24 * 60 * 60 };

static const char folder_prefix[] = "assay-";

// The first eight digits of the boot id; zeros where there is none; no kernel has that id.
static void name_kernel(char kernel[KERNEL_SIZE])
{
    memset(kernel, '0', KERNEL_SIZE - 1);
    kernel[KERNEL_SIZE - 1] = '\0';
    const int file = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    char text[KERNEL_SIZE];
    const bool got = file >= 0 && read(file, text, sizeof text) == sizeof text;
    if (got && strspn(text, "0123456789abcdef") >= KERNEL_SIZE - 1)
        memcpy(kernel, text, KERNEL_SIZE - 1);
    if (file >= 0)
        close(file);
}

static void make_tag(char tag[TAG_LENGTH + 1])
{
    char kernel[KERNEL_SIZE];
    uint32_t chance = 0;
    name_kernel(kernel);
    if (getrandom(&chance, sizeof chance, 0) != sizeof chance)
        chance = (uint32_t)clock_now() ^ (uint32_t)getpid() << 16;
    snprintf(tag, TAG_LENGTH + 1, "%s%08x", kernel, chance);
}

// Whether the owner can use what it has just made: a sweeper that came between making and locking
// may have taken it for dead. Where the file system has no locks, no process can sweep either.
static bool hold(int file)
{
    struct stat status;
    if (flock(file, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK)
        return false;
    return !fstat(file, &status) && status.st_nlink > 0;
}

int leftover_open_part(const char *path, char **name)
{
    const size_t size = strlen(path) + TAG_LENGTH + 8;
    *name = malloc(size);
    if (!*name) {
        errno = ENOMEM;
        return -1;
    }
    for (int i = 0; i < TRIES; i++) {
        char tag[TAG_LENGTH + 1];
        make_tag(tag);
        snprintf(*name, size, "%s.%s.part", path, tag);
        const int file = open(*name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (file >= 0 && hold(file))
            return file;
        if (file >= 0)
            close(file);
        else if (errno != EEXIST)
            break;
    }
    const int why = errno;
    free(*name);
    *name = NULL;
    errno = why;
    return -1;
}

// ---- sweeping ---------------------------------------------------------------

static bool is_tag(const char *text)
{
    return strspn(text, "0123456789abcdef") == TAG_LENGTH;
}

// Takes the lock of `name`, which no other process then has. Returns its descriptor, or -1.
static int take_dead(int folder, const char *name, const char *tag, int flags)
{
    char kernel[KERNEL_SIZE];
    struct stat status, now;
    name_kernel(kernel);
    const int file = openat(folder, name, flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file < 0)
        return -1;
    const bool ours =
        strncmp(kernel, "00000000", KERNEL_SIZE - 1) != 0 && !strncmp(tag, kernel, KERNEL_SIZE - 1);
    bool dead = !fstat(file, &status) && status.st_uid == geteuid() &&
                (ours || status.st_mtime + DAY < time(NULL));
    dead = dead && !flock(file, LOCK_EX | LOCK_NB);
    // The name may lead to another file by now.
    dead = dead && !fstatat(folder, name, &now, AT_SYMLINK_NOFOLLOW) &&
           now.st_ino == status.st_ino && now.st_dev == status.st_dev;
    if (dead)
        return file;
    close(file);
    return -1;
}

void leftover_sweep_parts(const char *path)
{
    const char *const slash = strrchr(path, '/'), *const base = slash ? slash + 1 : path;
    const size_t length = strlen(base);
    char *const folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
    DIR *const directory = folder ? opendir(folder) : NULL;
    free(folder);
    if (!directory)
        return;
    for (const struct dirent *entry = readdir(directory); entry; entry = readdir(directory)) {
        const char *const tag = entry->d_name + length + 1;
        if (strncmp(entry->d_name, base, length) != 0 || entry->d_name[length] != '.' ||
            !is_tag(tag) || strcmp(tag + TAG_LENGTH, ".part") != 0)
            continue;
        const int file = take_dead(dirfd(directory), entry->d_name, tag, O_RDWR);
        if (file < 0)
            continue;
        unlinkat(dirfd(directory), entry->d_name, 0);
        close(file);
    }
    closedir(directory);
}

// ---- folders ----------------------------------------------------------------

// Nothing here takes memory, since a signal may have come in the middle of anything.
static void empty(int folder)
{
    _Alignas(struct dirent64) char entries[4096];
    for (ssize_t got; (got = getdents64(folder, entries, sizeof entries)) > 0;)
        for (ssize_t at = 0; at < got;) {
            const struct dirent64 *const entry = (const void *)(entries + at);
            unlinkat(folder, entry->d_name, 0);
            at += entry->d_reclen;
        }
}

static void empty_at(const char *path)
{
    const int folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder < 0)
        return;
    empty(folder);
    close(folder);
}

// Those of this process, in a table of fixed size that the signal handler can read.
enum { KEPT_MAX = 64 };
static struct kept {
    _Atomic pid_t owner; // 0: free
    char path[PATH_MAX];
} kept[KEPT_MAX];

static void keep(const char *path)
{
    for (size_t i = 0; i < KEPT_MAX; i++) {
        pid_t free_place = 0;
        // The owner's number comes last: until then the path is not looked at.
        if (atomic_compare_exchange_strong(&kept[i].owner, &free_place, -1)) {
            snprintf(kept[i].path, sizeof kept[i].path, "%s", path);
            atomic_store(&kept[i].owner, getpid());
            return;
        }
    }
}

static void forget(const char *path)
{
    for (size_t i = 0; i < KEPT_MAX; i++)
        if (atomic_load(&kept[i].owner) == getpid() && !strcmp(kept[i].path, path))
            atomic_store(&kept[i].owner, 0);
}

static void sweep_folders(const char *parent)
{
    DIR *const directory = opendir(parent);
    if (!directory)
        return;
    for (const struct dirent *entry = readdir(directory); entry; entry = readdir(directory)) {
        const char *const tag = entry->d_name + sizeof folder_prefix - 1;
        if (strncmp(entry->d_name, folder_prefix, sizeof folder_prefix - 1) != 0 || !is_tag(tag) ||
            tag[TAG_LENGTH])
            continue;
        const int folder = take_dead(dirfd(directory), entry->d_name, tag, O_RDONLY | O_DIRECTORY);
        if (folder < 0)
            continue;
        empty(folder);
        unlinkat(dirfd(directory), entry->d_name, AT_REMOVEDIR);
        close(folder);
    }
    closedir(directory);
}

enum error leftover_make_folder(struct leftover_folder *folder, struct diagnostic *diagnostic)
{
    const char *const chosen = getenv("TMPDIR"), *const parent =
                                                     chosen && *chosen ? chosen : "/tmp";
    char tag[TAG_LENGTH + 1];
    *folder = (struct leftover_folder){.lock = -1};
    sweep_folders(parent);
    errno = ENAMETOOLONG;
    for (int i = 0; i < TRIES && strlen(parent) < PATH_MAX - 64; i++) {
        make_tag(tag);
        snprintf(folder->path, sizeof folder->path, "%.4000s/%s%s", parent, folder_prefix, tag);
        if (mkdir(folder->path, 0700) < 0) {
            if (errno != EEXIST)
                break;
            continue;
        }
        folder->lock = open(folder->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (folder->lock >= 0 && hold(folder->lock)) {
            keep(folder->path);
            return ERROR_NONE;
        }
        if (folder->lock >= 0)
            close(folder->lock);
    }
    folder->path[0] = '\0';
    folder->lock = -1;
    return diagnostic_fail(diagnostic, ERROR_SYSTEM, "cannot make a folder below %.400s: %s",
                           parent, strerror(errno));
}

void leftover_empty_folder(const struct leftover_folder *folder)
{
    empty_at(folder->path);
}

void leftover_remove_folder(struct leftover_folder *folder)
{
    if (!folder->path[0])
        return;
    empty_at(folder->path);
    rmdir(folder->path);
    forget(folder->path);
    close(folder->lock);
    *folder = (struct leftover_folder){.lock = -1};
}

// ---- signals ----------------------------------------------------------------

static void on_signal(int number)
{
    // A child has inherited the list, but not the folders.
    for (size_t i = 0; i < KEPT_MAX; i++)
        if (atomic_load(&kept[i].owner) == getpid()) {
            empty_at(kept[i].path);
            rmdir(kept[i].path);
        }
    signal(number, SIG_DFL);
    raise(number);
}

void leftover_remove_on_signals(void)
{
    static const int number[] = {SIGTERM, SIGINT, SIGHUP};
    for (size_t i = 0; i < sizeof number / sizeof *number; i++) {
        struct sigaction action = {.sa_handler = on_signal}, before;
        if (!sigaction(number[i], NULL, &before) && before.sa_handler == SIG_DFL)
            sigaction(number[i], &action, NULL);
    }
}
