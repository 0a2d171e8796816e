// SPDX-License-Identifier: Apache-2.0
// In the harness: answers the calls of a watched worker, and notes the files that they name.

#define _GNU_SOURCE
#include "harness/host/watch.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "harness/host/watch_calls.h"
#include "ref/base/digest_file.h"
#include "ref/base/hash.h"

enum error watch_ask(struct diagnostic *diagnostic)
{
    return setenv(WATCH_ASKED, "1", true) ? diagnostic_no_memory(diagnostic) : ERROR_NONE;
}

enum { FILES_MAX = 1 << 16, NAMES_SIZE = 16 << 20 };

struct entry {
    const char
        *path; // among the names; with one of the marks of digest_path at its end, if that is it
    uint64_t hash, inode, size;
    struct timespec written, changed;
};

// Mapped, and filled from the start: pages that no file needs cost nothing, and noting a file
// cannot run out of memory halfway.
struct watch {
    pthread_mutex_t lock;
    size_t count, names; // of entries; bytes of names
    struct watch_gaps gaps;
    pthread_t thread;
    int listener, stop;     // of the worker that is served; -1: none
    char without[PATH_MAX]; // what lies below is not noted; empty: nothing
    struct entry entry[FILES_MAX];
    char name[NAMES_SIZE];
};

static bool same_file(const struct entry *entry, const struct stat *status)
{
    return entry->inode == status->st_ino && entry->size == (uint64_t)status->st_size &&
           !memcmp(&entry->written, &status->st_mtim, sizeof entry->written) &&
           !memcmp(&entry->changed, &status->st_ctim, sizeof entry->changed);
}

// What is known of a file; of a link, of itself; of one that is not there, nothing.
static int look_at(const char *path, struct stat *status)
{
    char before[PATH_MAX];
    const size_t length = strlen(path);
    if (!stat(path, status))
        return 0;
    if (!length || length > sizeof before)
        return -1;
    memcpy(before, path, length - 1);
    before[length - 1] = '\0';
    if (path[length - 1] == DIGEST_LINK)
        return lstat(before, status);
    *status = (struct stat){0};
    return path[length - 1] == DIGEST_CHANGED ||
                   (path[length - 1] == DIGEST_ABSENT && access(before, F_OK))
               ? 0
               : -1;
}

static void note_path(struct watch *watch, const char *path, const struct stat *status)
{
    const uint64_t hash = hash_add(HASH_EMPTY, path, strlen(path));
    for (size_t i = 0; i < watch->count; i++)
        if (watch->entry[i].hash == hash && !strcmp(watch->entry[i].path, path)) {
            watch->gaps.changed |= !same_file(&watch->entry[i], status);
            return;
        }
    const size_t size = strlen(path) + 1;
    if (watch->count == FILES_MAX || size > NAMES_SIZE - watch->names) {
        watch->gaps.unread = true;
        return;
    }
    char *const kept = memcpy(&watch->name[watch->names], path, size);
    watch->names += size;
    watch->entry[watch->count++] = (struct entry){.path = kept,
                                                  .hash = hash,
                                                  .inode = status->st_ino,
                                                  .size = (uint64_t)status->st_size,
                                                  .written = status->st_mtim,
                                                  .changed = status->st_ctim};
}

static bool begins(const char *path, const char *with)
{
    return !strncmp(path, with, strlen(with));
}

// Python's compiled module stands for its source where that is there: it is made anew whenever the
// source's time changes, on every machine with other bytes.
static bool find_source(const char *path, char source[PATH_MAX])
{
    const char *const folder = strstr(path, "/__pycache__/"), *const ending = strrchr(path, '.');
    if (!folder || !ending || strcmp(ending, ".pyc") != 0)
        return false;
    const char *const name = folder + strlen("/__pycache__/");
    const int size = snprintf(source, PATH_MAX, "%.*s/%.*s.py", (int)(folder - path), path,
                              (int)strcspn(name, "."), name);
    return size > 0 && size < PATH_MAX && !access(source, R_OK);
}

static bool is_left_out(const struct watch *watch, const char *path)
{
    return begins(path, "/proc/") || begins(path, "/sys/") || begins(path, "/dev/") ||
           (watch->without[0] && begins(path, watch->without)) || !strcmp(path, "/etc/ld.so.cache");
}

// Notes each link on the way to a file, as it is resolved: where it leads decides what is read.
static void note_links(struct watch *watch, const char *name)
{
    enum { LINKS_MAX = 40 };
    char path[PATH_MAX + 1] = "", rest[PATH_MAX], lead[PATH_MAX], more[2 * PATH_MAX];
    snprintf(rest, sizeof rest, "%s", name);
    for (unsigned links = 0; rest[0] && links < LINKS_MAX;) {
        const size_t slashes = strspn(rest, "/"), size = strcspn(rest + slashes, "/"),
                     length = strlen(path);
        const char *const part = rest + slashes;
        struct stat status;
        if (length + 1 + size >= PATH_MAX)
            return;
        if (size == 2 && !strncmp(part, "..", 2))
            path[length ? (size_t)(strrchr(path, '/') - path) : 0] = '\0';
        else if (size && !(size == 1 && part[0] == '.'))
            snprintf(path + length, sizeof path - length, "/%.*s", (int)size, part);
        memmove(rest, part + size, strlen(part + size) + 1);
        if (!path[0] || lstat(path, &status) || !S_ISLNK(status.st_mode))
            continue;
        const ssize_t got = readlink(path, lead, sizeof lead - 1);
        if (got <= 0 || strlen(path) + 1 > PATH_MAX)
            return;
        lead[got] = '\0';
        if (!is_left_out(watch, path)) {
            path[strlen(path) + 1] = '\0';
            path[strlen(path)] = DIGEST_LINK;
            pthread_mutex_lock(&watch->lock);
            note_path(watch, path, &status);
            pthread_mutex_unlock(&watch->lock);
        }
        path[lead[0] == '/' ? 0 : (size_t)(strrchr(path, '/') - path)] = '\0';
        if (snprintf(more, sizeof more, "%s/%s", lead, rest) >= (int)sizeof rest)
            return;
        memcpy(rest, more, strlen(more) + 1);
        links++;
    }
}

// Notes an absolute name, which no file need have, with a mark. A compiled module of Python stands
// for its source, which is noted.
static void note_marked(struct watch *watch, const char *name, char mark)
{
    char part[PATH_MAX], real[PATH_MAX], path[2 * PATH_MAX + 1];
    const struct stat nothing = {0};
    size_t length = strlen(name);
    if (length >= sizeof part || strstr(name, "/__pycache__/"))
        return;
    memcpy(part, name, length + 1);
    do { // up to what is there
        while (length > 1 && part[length - 1] != '/')
            length--;
        part[length] = '\0';
        if (realpath(part, real))
            break;
        part[--length] = '\0';
    } while (length > 1);
    snprintf(path, sizeof path, "%s%s%s%c", real, real[1] ? "/" : "", name + length, mark);
    const bool changed = mark == DIGEST_CHANGED, shared = changed && begins(path, "/dev/shm/");
    if (changed && strchr(name + length, '/'))
        return; // its folder is not there: it cannot be made
    if (strlen(path) >= PATH_MAX || (is_left_out(watch, path) && !shared))
        return;
    pthread_mutex_lock(&watch->lock);
    note_path(watch, path, &nothing);
    pthread_mutex_unlock(&watch->lock);
}

// Notes a file by its real path. What the kernel makes up is no file, and the cache of the dynamic
// linker only says where libraries are that are noted themselves. A file that is `made` where there
// is none is not looked for.
static void note(struct watch *watch, const char *name, bool made)
{
    char path[PATH_MAX], source[PATH_MAX];
    struct stat status;
    if (!realpath(name, path)) {
        if (!made && (errno == ENOENT || errno == ENOTDIR))
            note_marked(watch, name, DIGEST_ABSENT);
        return;
    }
    const char *const kept = find_source(path, source) ? source : path;
    if (is_left_out(watch, kept) || stat(kept, &status) || !S_ISREG(status.st_mode))
        return;
    note_links(watch, name);
    pthread_mutex_lock(&watch->lock);
    note_path(watch, kept, &status);
    pthread_mutex_unlock(&watch->lock);
}

// The text at an address of the process: false where it cannot be read.
static bool read_name(uint32_t process, uint64_t at, char name[PATH_MAX])
{
    const uint64_t page = 4096;
    size_t got = 0;
    while (got < PATH_MAX) {
        const uint64_t left = page - (at + got) % page,
                       size = left < PATH_MAX - got ? left : PATH_MAX - got;
        const struct iovec here = {name + got, size}, there = {(void *)(uintptr_t)(at + got), size};
        const ssize_t n = process_vm_readv((pid_t)process, &here, 1, &there, 1, 0);
        if (n <= 0)
            return false;
        if (memchr(name + got, '\0', (size_t)n))
            return true;
        got += (size_t)n;
    }
    return false;
}

// Of a script, the program that the kernel starts in its place.
static void note_interpreter(struct watch *watch, const char *script)
{
    char line[512];
    FILE *const file = fopen(script, "re");
    if (file && fgets(line, sizeof line, file) && begins(line, "#!")) {
        char *const name = line + 2 + strspn(line + 2, " \t");
        name[strcspn(name, " \t\n")] = '\0';
        if (name[0] == '/')
            note(watch, name, false);
    }
    if (file)
        fclose(file);
}

static void miss(struct watch *watch, bool *gap)
{
    pthread_mutex_lock(&watch->lock);
    *gap = true;
    pthread_mutex_unlock(&watch->lock);
}

// Whether a name means the same to the process as to the harness.
static bool shares_names(uint32_t process)
{
    char path[64];
    struct stat here, there;
    snprintf(path, sizeof path, "/proc/%u/root/", process);
    if (stat("/", &here) || stat(path, &there) || here.st_ino != there.st_ino ||
        here.st_dev != there.st_dev)
        return false;
    snprintf(path, sizeof path, "/proc/%u/ns/mnt", process);
    return !stat("/proc/self/ns/mnt", &here) && !stat(path, &there) &&
           here.st_ino == there.st_ino && here.st_dev == there.st_dev;
}

// The flags with which a file is opened.
static bool read_flags(const struct seccomp_notif *asked, const struct watch_call *call, int *flags)
{
    uint64_t how = asked->data.args[call->flags];
    const struct iovec here = {&how, sizeof how}, there = {(void *)(uintptr_t)how, sizeof how};
    const bool read = call->number != WATCH_OPENAT2 ||
                      process_vm_readv((pid_t)asked->pid, &here, 1, &there, 1, 0) == sizeof how;
    *flags = (int)how;
    return read;
}

// The name as the harness must write it; false: there is nothing to note.
static bool place_name(const struct seccomp_notif *asked, const struct watch_call *call,
                       const char *name, char path[PATH_MAX + 64])
{
    static const char self[] = "/proc/self/";
    const size_t size = PATH_MAX + 64;
    const int folder = call->folder < 0 ? AT_FDCWD : (int)asked->data.args[call->folder];
    if (!strcmp(name, "/proc/self/exe"))
        return false; // it was noted when it was run, or is the harness's own
    if (begins(name, self))
        snprintf(path, size, "/proc/%u/%s", asked->pid, name + sizeof self - 1);
    else if (name[0] == '/')
        snprintf(path, size, "%s", name);
    else if (folder == AT_FDCWD)
        snprintf(path, size, "/proc/%u/cwd/%s", asked->pid, name);
    else
        snprintf(path, size, "/proc/%u/fd/%d%s%s", asked->pid, folder, name[0] ? "/" : "", name);
    return true;
}

static void look_at_call(struct watch *watch, const struct seccomp_notif *asked,
                         const struct watch_call *call)
{
    int flags = 0;
    char name[PATH_MAX], path[PATH_MAX + 64];
    if (!shares_names(asked->pid) || !read_name(asked->pid, asked->data.args[call->name], name) ||
        (call->use == USE_BY_FLAGS && !read_flags(asked, call, &flags))) {
        miss(watch, &watch->gaps.unread);
        return;
    }
    const int access = flags & O_ACCMODE;
    if ((flags & O_DIRECTORY) || !place_name(asked, call, name, path))
        return; // no file
    // What does not make a file leaves one that is not there as it is.
    const bool makes = call->use == USE_MAKE || (flags & O_CREAT);
    const bool changes = call->use == USE_CHANGE || access != O_RDONLY || (flags & O_TRUNC);
    if (makes || (changes && !faccessat(AT_FDCWD, path, F_OK, AT_SYMLINK_NOFOLLOW)))
        note_marked(watch, path, DIGEST_CHANGED);
    if (call->use >= USE_MAKE || access == O_WRONLY || (flags & O_TRUNC))
        return; // nothing is read
    note(watch, path, flags & O_CREAT);
    if (call->use == USE_RUN)
        note_interpreter(watch, path);
}

static void look(struct watch *watch, const struct seccomp_notif *asked)
{
    bool known = false;
    for (const struct watch_call *call = watch_calls; call < watch_calls + watch_call_count; call++)
        if (call->number == asked->data.nr && asked->data.arch == WATCH_ARCHITECTURE) {
            known = true;
            look_at_call(watch, asked, call);
        }
    if (!known)
        miss(watch, &watch->gaps.hidden);
}

static void *serve(void *context)
{
    struct watch *const watch = context;
    for (;;) {
        struct pollfd files[2] = {{.fd = watch->listener, .events = POLLIN},
                                  {.fd = watch->stop, .events = POLLIN}};
        if (poll(files, 2, -1) < 0 && errno != EINTR)
            return NULL;
        if (files[1].revents || (files[0].revents & (POLLHUP | POLLERR)))
            return NULL;
        if (!(files[0].revents & POLLIN))
            continue;
        struct seccomp_notif asked = {0};
        if (ioctl(watch->listener, SECCOMP_IOCTL_NOTIF_RECV, &asked))
            continue; // it was killed meanwhile
        look(watch, &asked);
        struct seccomp_notif_resp answer = {.id = asked.id};
        if (asked.data.arch == WATCH_ARCHITECTURE && asked.data.nr == WATCH_IO_URING_SETUP)
            answer.error = -ENOSYS;
        else
            answer.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
        ioctl(watch->listener, SECCOMP_IOCTL_NOTIF_SEND, &answer);
    }
}

static void stop(struct watch *watch)
{
    const uint64_t one = 1;
    if (watch->listener < 0)
        return;
    while (write(watch->stop, &one, sizeof one) < 0 && errno == EINTR) {}
    pthread_join(watch->thread, NULL);
    close(watch->listener);
    close(watch->stop);
    watch->listener = watch->stop = -1;
}

// The listener that the worker sends; -1: it has none, or ended.
static int receive(int socket, unsigned limit_ms)
{
    struct pollfd file = {.fd = socket, .events = POLLIN};
    char byte;
    int listener = -1;
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE(sizeof listener)];
    } control;
    struct iovec part = {.iov_base = &byte, .iov_len = 1};
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = control.bytes,
                             .msg_controllen = sizeof control.bytes};
    while (poll(&file, 1, (int)(limit_ms < INT_MAX ? limit_ms : INT_MAX)) < 0 && errno == EINTR) {}
    if (recvmsg(socket, &message, MSG_CMSG_CLOEXEC) != 1)
        return -1;
    const struct cmsghdr *const header = CMSG_FIRSTHDR(&message);
    if (header && header->cmsg_type == SCM_RIGHTS && header->cmsg_len == CMSG_LEN(sizeof listener))
        memcpy(&listener, CMSG_DATA(header), sizeof listener);
    return listener;
}

// A thread that no signal of the process reaches.
static bool start(struct watch *watch)
{
    sigset_t all, before;
    sigfillset(&all);
    watch->stop = eventfd(0, EFD_CLOEXEC);
    if (watch->stop < 0)
        return false;
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const bool started = !pthread_create(&watch->thread, NULL, serve, watch);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!started) {
        close(watch->stop);
        watch->stop = -1;
    }
    return started;
}

enum error watch_attach(struct watch **watch, int socket, unsigned limit_ms, const char *without,
                        struct diagnostic *diagnostic)
{
    struct watch *made = *watch;
    if (!made) {
        made = mmap(NULL, sizeof *made, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (made == MAP_FAILED)
            return diagnostic_no_memory(diagnostic);
        made->listener = made->stop = -1;
        pthread_mutex_init(&made->lock, NULL);
        *watch = made;
    }
    stop(made);
    if (!without || !realpath(without, made->without))
        made->without[0] = '\0';
    made->listener = receive(socket, limit_ms);
    made->gaps.unwatched |= made->listener < 0;
    if (made->listener < 0 || start(made))
        return ERROR_NONE;
    close(made->listener); // its calls fail from now on, and the worker is of no use
    made->listener = -1;
    return errno == ENOMEM ? diagnostic_no_memory(diagnostic)
                           : diagnostic_fail(diagnostic, ERROR_SYSTEM, "cannot start a thread: %s",
                                             strerror(errno));
}

const char *watch_file(struct watch *watch, size_t i)
{
    assert(watch);
    pthread_mutex_lock(&watch->lock);
    const char *const path = i < watch->count ? watch->entry[i].path : NULL;
    pthread_mutex_unlock(&watch->lock);
    return path;
}

struct watch_gaps watch_gaps(struct watch *watch)
{
    assert(watch);
    pthread_mutex_lock(&watch->lock);
    struct watch_gaps gaps = watch->gaps;
    for (size_t i = 0; i < watch->count && !gaps.changed; i++) {
        struct stat status;
        gaps.changed =
            look_at(watch->entry[i].path, &status) || !same_file(&watch->entry[i], &status);
    }
    pthread_mutex_unlock(&watch->lock);
    return gaps;
}

void watch_end(struct watch *watch)
{
    if (!watch)
        return;
    stop(watch);
    pthread_mutex_destroy(&watch->lock);
    munmap(watch, sizeof *watch);
}
