// SPDX-License-Identifier: Apache-2.0
// A library to be preloaded (LD_PRELOAD) into a program of GNU's C library: the n-th call of a kind
// fails, or all from there on.
//
// ASSAY_FAULTS="KIND N once|on": KIND is memory (malloc and its kin), write (ENOSPC; also pwrite
// and ftruncate, by which SQLite writes), sync (EIO), rename (EIO, links too), open (EROFS, of
// files opened for writing), or short (every write puts at most N bytes, which is no fault at all).
// ASSAY_FAULTS_COUNT names a file for the numbers of calls at the end of the program. Programs that
// it starts are left alone.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum kind { MEMORY, WRITE, SYNC, RENAME, OPEN, SHORT, KINDS };

static const char *const names[KINDS] = {"memory", "write", "sync", "rename", "open", "short"};
static _Atomic long counted[KINDS];
static int armed, on;
static enum kind chosen = KINDS;
static long nth;
static pid_t own;
static char report[256];

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static void tell(void)
{
    if (!report[0] || getpid() != own)
        return;
    armed = 0;
    char line[64];
    const int file = (int)syscall(SYS_openat, AT_FDCWD, report, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    for (int k = 0; k < KINDS; k++) {
        const int size =
            snprintf(line, sizeof line, "%s %ld\n", names[k], atomic_load(&counted[k]));
        syscall(SYS_write, file, line, (size_t)size);
    }
    syscall(SYS_close, file);
}

__attribute__((constructor)) static void arm(void)
{
    const char *const wanted = getenv("ASSAY_FAULTS"), *const to = getenv("ASSAY_FAULTS_COUNT");
    char kind[16] = "", how[8] = "";
    own = getpid();
    if (to)
        snprintf(report, sizeof report, "%s", to);
    if (wanted && sscanf(wanted, "%15s %ld %7s", kind, &nth, how) == 3)
        for (int k = 0; k < KINDS; k++)
            if (!strcmp(kind, names[k]))
                chosen = (enum kind)k;
    on = !strcmp(how, "on");
    unsetenv("ASSAY_FAULTS");
    unsetenv("ASSAY_FAULTS_COUNT");
    unsetenv("LD_PRELOAD");
    atexit(tell);
    armed = 1;
}

// Whether this call is the one.
static int fails(enum kind kind)
{
    if (!armed)
        return 0;
    const long count = atomic_fetch_add(&counted[kind], 1) + 1;
    return kind == chosen && kind != SHORT && (on ? count >= nth : count == nth);
}

static void *no_memory(void)
{
    errno = ENOMEM;
    return NULL;
}

void *malloc(size_t size)
{
    return fails(MEMORY) ? no_memory() : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    return fails(MEMORY) ? no_memory() : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
    return fails(MEMORY) ? no_memory() : __libc_realloc(old, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return fails(MEMORY) ? no_memory() : __libc_memalign(alignment, size);
}

int posix_memalign(void **to, size_t alignment, size_t size)
{
    void *const got = fails(MEMORY) ? NULL : __libc_memalign(alignment, size);
    if (got)
        *to = got;
    return got ? 0 : ENOMEM;
}

ssize_t write(int file, const void *bytes, size_t size)
{
    // What goes to the terminal or a pipe is not what is kept.
    if (file > 2 && fails(WRITE)) {
        errno = ENOSPC;
        return -1;
    }
    if (armed && chosen == SHORT && file > 2 && size > (size_t)nth)
        size = (size_t)nth;
    return syscall(SYS_write, file, bytes, size);
}

ssize_t pwrite64(int file, const void *bytes, size_t size, off64_t at)
{
    if (fails(WRITE)) {
        errno = ENOSPC;
        return -1;
    }
    if (armed && chosen == SHORT && size > (size_t)nth)
        size = (size_t)nth;
    return syscall(SYS_pwrite64, file, bytes, size, at);
}

ssize_t pwrite(int file, const void *bytes, size_t size, off_t at)
{
    return pwrite64(file, bytes, size, at);
}

ssize_t pwritev64(int file, const struct iovec *parts, int count, off64_t at)
{
    if (fails(WRITE)) {
        errno = ENOSPC;
        return -1;
    }
    return syscall(SYS_pwritev, file, parts, count, at, 0);
}

ssize_t pwritev(int file, const struct iovec *parts, int count, off_t at)
{
    return pwritev64(file, parts, count, at);
}

int ftruncate64(int file, off64_t size)
{
    // What has no name is memory that processes share, and no disk.
    struct stat status;
    if (!fstat(file, &status) && status.st_nlink && fails(WRITE)) {
        errno = ENOSPC;
        return -1;
    }
    return (int)syscall(SYS_ftruncate, file, size);
}

int ftruncate(int file, off_t size)
{
    return ftruncate64(file, size);
}

int fsync(int file)
{
    if (fails(SYNC)) {
        errno = EIO;
        return -1;
    }
    return (int)syscall(SYS_fsync, file);
}

int fdatasync(int file)
{
    if (fails(SYNC)) {
        errno = EIO;
        return -1;
    }
    return (int)syscall(SYS_fdatasync, file);
}

int link(const char *from, const char *to)
{
    if (fails(RENAME)) {
        errno = EIO;
        return -1;
    }
    return (int)syscall(SYS_linkat, AT_FDCWD, from, AT_FDCWD, to, 0);
}

int rename(const char *from, const char *to)
{
    if (fails(RENAME)) {
        errno = EIO;
        return -1;
    }
    return (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}

static int open_with(const char *path, int flags, mode_t mode)
{
    if ((flags & O_ACCMODE) != O_RDONLY && fails(OPEN)) {
        errno = EROFS;
        return -1;
    }
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

int open(const char *path, int flags, ...)
{
    va_list more;
    va_start(more, flags);
    const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) ? va_arg(more, mode_t) : 0;
    va_end(more);
    return open_with(path, flags, mode);
}

int open64(const char *path, int flags, ...)
{
    va_list more;
    va_start(more, flags);
    const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) ? va_arg(more, mode_t) : 0;
    va_end(more);
    return open_with(path, flags, mode);
}
