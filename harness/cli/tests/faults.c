// SPDX-License-Identifier: Apache-2.0
// A library to be preloaded (LD_PRELOAD) into a program of GNU's C library: the n-th call of a kind
// fails, or all from there on.
//
// ASSAY_FAULTS="KIND N once|on": KIND is memory (malloc and its kin), write (ENOSPC; also pwrite
// and ftruncate, by which SQLite writes), sync (EIO), rename (EIO, links too), open (EROFS, of
// files opened for writing), or short (every write puts at most N bytes, which is no fault at all).
// ASSAY_FAULTS_COUNT names a file for the numbers of calls at the end of the program, and after
// them a line for each call stack that allocates: the name of its site, the numbers of its first
// and its last call. A site is the inner end of a stack: the frames of libraries next to the
// allocation and the innermost frames of the program itself. A frame is its place in its file, so
// that names are the same in every process. Programs that it starts are left alone.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
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

// ---- stacks -------------------------------------------------------------------------------------

enum { STACKS = 1 << 16, FRAMES = 64, OWN_FRAMES = 3, LIBRARY_FRAMES = 2 };

static struct {
    _Atomic uint64_t name; // of all frames; 0: free
    uint64_t site;
    long first, last; // the calls that came from there
} stacks[STACKS];
static const void *program; // where the program itself is mapped
static _Thread_local int walking;

static uint64_t mixed(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

// The name of a stack, and in *site that of its inner end.
static uint64_t name_of(void *const *frames, int count, uint64_t *site)
{
    uint64_t name = 1;
    int own_frames = 0, of_libraries = 0;
    *site = 1;
    for (int i = 0; i < count; i++) {
        Dl_info info;
        if (!dladdr(frames[i], &info))
            continue;
        const uint64_t place = (uint64_t)((const char *)frames[i] - (const char *)info.dli_fbase);
        name = mixed(name, place);
        if (info.dli_fbase == program ? own_frames++ < OWN_FRAMES
                                      : !own_frames && of_libraries++ < LIBRARY_FRAMES)
            *site = mixed(*site, place);
    }
    return name;
}

static void note_stack(long call)
{
    void *frames[FRAMES];
    if (walking)
        return;
    walking = 1;
    // The first three are this function, its caller and the allocator's name.
    const int count = backtrace(frames, FRAMES);
    uint64_t site = 1;
    const uint64_t name = count > 3 ? name_of(frames + 3, count - 3, &site) : 1;
    for (uint64_t i = name % STACKS, tries = 0; tries < STACKS; i = (i + 1) % STACKS, tries++) {
        uint64_t none = 0;
        if (atomic_compare_exchange_strong(&stacks[i].name, &none, name)) {
            stacks[i].site = site;
            stacks[i].first = call;
        }
        if (none == 0 || none == name) {
            stacks[i].last = call;
            break;
        }
    }
    walking = 0;
}

static void tell_stacks(int file)
{
    char line[80];
    for (int i = 0; i < STACKS; i++) {
        if (!atomic_load(&stacks[i].name))
            continue;
        const int size =
            snprintf(line, sizeof line, "stack %016llx %ld %ld\n",
                     (unsigned long long)stacks[i].site, stacks[i].first, stacks[i].last);
        syscall(SYS_write, file, line, (size_t)size);
    }
}

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
    tell_stacks(file);
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
    if (to) {
        // The first walk loads what it needs.
        void *frame[1];
        Dl_info info;
        backtrace(frame, 1);
        if (dladdr((void *)getauxval(AT_PHDR), &info))
            program = info.dli_fbase;
    }
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
    if (kind == MEMORY && report[0])
        note_stack(count);
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
