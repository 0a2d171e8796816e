// SPDX-License-Identifier: Apache-2.0
// posix_spawn, so that nothing of ours runs between fork and exec however many threads the harness
// has.

#define _GNU_SOURCE
#include "harness/host/spawn.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/host/thread_list.h"
#include "harness/host/watch.h"
#include "ref/base/clock.h"
#include "ref/base/file.h"

extern char **environ;

enum { SPAWN_FIRST_FREE = 10 }; // our own ends lie above the descriptors that the worker is given

uint64_t spawn_clock_ms(void)
{
    return clock_now() / 1000000u;
}

void spawn_watch_start(struct spawn_watch *watch)
{
    *watch = (struct spawn_watch){.looked = spawn_clock_ms()};
}

uint64_t spawn_watch_ms(struct spawn_watch *watch)
{
    const uint64_t now = spawn_clock_ms(), passed = now - watch->looked;
    watch->looked = now;
    watch->had += passed < SPAWN_STEP_MS ? passed : SPAWN_STEP_MS;
    return watch->had;
}

// Moves a descriptor above those that the worker is given; -1 stays.
static int lift(int file)
{
    if (file < 0 || file >= SPAWN_FIRST_FREE)
        return file;
    const int moved = fcntl(file, F_DUPFD_CLOEXEC, SPAWN_FIRST_FREE);
    close(file);
    return moved;
}

// What finds programs, libraries, modules and folders; the language; and what emulators and
// sanitizers read that the worker itself runs under.
const char *const spawn_kept[] = {
    "HOME",           "LANG", "LC_ALL",       "LD_LIBRARY_PATH", "PATH",         "PYTHONPATH",
    "TMPDIR",         "TZ",   "ASAN_OPTIONS", "LSAN_OPTIONS",    "TSAN_OPTIONS", "UBSAN_OPTIONS",
    "QEMU_LD_PREFIX", NULL};

static bool goes_along(const char *variable, bool clean)
{
    const size_t length = strcspn(variable, "=");
    if (!clean || (!strncmp(variable, WATCH_ASKED, length) && !WATCH_ASKED[length]))
        return true;
    for (const char *const *kept = spawn_kept; *kept; kept++)
        if (!strncmp(variable, *kept, length) && !(*kept)[length])
            return true;
    return false;
}

static bool is_named_in(const char *variable, char *const *own)
{
    const size_t name = strcspn(variable, "=") + 1;
    for (; *own; own++)
        if (!strncmp(variable, *own, name))
            return true;
    return false;
}

// A plugin's heap without the cache of a thread, whose blocks would keep what was in them.
const char spawn_heap[] = "GLIBC_TUNABLES=glibc.malloc.tcache_count=0";

// This process's variables that go along, with `own` in place of those of the same names; NULL: out
// of memory.
static char **make_environment(char *const *own, bool plugin)
{
    static char *const none[] = {NULL};
    const bool clean = getenv(WATCH_ASKED) != NULL;
    own = own ? own : none;
    const bool heap = plugin && !is_named_in(spawn_heap, own);
    char *const heap_alone[] = {heap ? (char *)(uintptr_t)spawn_heap : NULL, NULL};
    size_t count = 2, at = 0;
    for (char *const *variable = environ; variable && *variable; variable++)
        count++;
    for (char *const *variable = own; *variable; variable++)
        count++;
    char **const made = calloc(count, sizeof *made);
    for (char *const *variable = environ; made && variable && *variable; variable++)
        if (!is_named_in(*variable, own) && !is_named_in(*variable, heap_alone) &&
            goes_along(*variable, clean))
            made[at++] = *variable;
    if (made && heap)
        made[at++] = heap_alone[0];
    for (; made && *own; own++)
        made[at++] = *own;
    return made;
}

// What the new process finds at its descriptors; 0, or the error: each step takes memory.
static int arrange(posix_spawn_file_actions_t *actions, bool standard, int memory, int theirs,
                   int errors)
{
    int error = 0;
    if (standard) {
        error = posix_spawn_file_actions_adddup2(actions, theirs, 0);
        if (!error)
            error = posix_spawn_file_actions_adddup2(actions, theirs, 1);
    } else {
        error = posix_spawn_file_actions_addopen(actions, 0, "/dev/null", O_RDONLY, 0);
        if (!error)
            error = posix_spawn_file_actions_adddup2(actions, errors, 1);
        if (!error)
            error = posix_spawn_file_actions_adddup2(actions, theirs, 4);
    }
    if (!error)
        error = posix_spawn_file_actions_adddup2(actions, errors, 2);
    if (!error && memory >= 0)
        error = posix_spawn_file_actions_adddup2(actions, memory, 3);
    if (!error) // what this process was given by its own caller stays here
        error = posix_spawn_file_actions_addclosefrom_np(actions, standard ? 3 : 5);
    return error;
}

static int start(struct process *process, const char *executable, char *const *arguments,
                 char *const *environment, bool standard, int memory, int theirs, int errors)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes,
                             POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    int error = arrange(&actions, standard, memory, theirs, errors);
    if (!error)
        error =
            posix_spawn(&process->id, executable, &actions, &attributes, arguments, environment);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

enum error spawn_process(struct process *process, const char *executable, char *const *arguments,
                         char *const *own, bool standard, int memory, struct diagnostic *diagnostic)
{
    char **const made = make_environment(own, !standard);
    if (!made)
        return diagnostic_no_memory(diagnostic);
    int pair[2] = {-1, -1}, errors[2] = {-1, -1};
    *process = (struct process){.id = 0, .socket = -1, .errors = -1};
    const bool opened =
        !socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) && !pipe2(errors, O_CLOEXEC);
    process->socket = lift(pair[0]);
    process->errors = lift(errors[0]);
    const int theirs = lift(pair[1]), printed = lift(errors[1]),
              shared = memory < 0 ? -1 : fcntl(memory, F_DUPFD_CLOEXEC, 10);
    int error = opened ? 0 : errno;
    if (!error) {
        fcntl(process->socket, F_SETFL, O_NONBLOCK);
        fcntl(process->errors, F_SETFL, O_NONBLOCK);
        error = start(process, executable, arguments, made, standard, shared, theirs, printed);
    }
    free(made);
    if (theirs >= 0)
        close(theirs);
    if (printed >= 0)
        close(printed);
    if (shared >= 0)
        close(shared);
    if (!error)
        return ERROR_NONE;
    process->id = 0;
    spawn_end(process, 0, NULL);
    if (error == ENOMEM)
        return diagnostic_no_memory(diagnostic);
    return diagnostic_fail(diagnostic, ERROR_SYSTEM, "cannot start a worker (%s): %s", executable,
                           strerror(error));
}

static void keep(struct printed *printed, const char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++, printed->total++) {
        if (printed->head_size < SPAWN_HEAD_SIZE) {
            printed->head[printed->head_size++] = bytes[i];
            continue;
        }
        printed->tail[printed->tail_at++ % SPAWN_TAIL_SIZE] = bytes[i];
    }
}

void spawn_drain(struct process *process)
{
    char bytes[65536];
    for (int turn = 0; turn < 64 && process->errors >= 0; turn++) {
        const ssize_t size = read(process->errors, bytes, sizeof bytes);
        if (size == 0) {
            close(process->errors);
            process->errors = -1;
        }
        if (size <= 0)
            return;
        keep(&process->printed, bytes, (size_t)size);
    }
}

uint64_t spawn_memory(const struct process *process)
{
    char path[64], text[256];
    snprintf(path, sizeof path, "/proc/%ld/statm", (long)process->id);
    file_read_start(path, text, sizeof text);
    unsigned long resident = 0, shared = 0;
    if (sscanf(text, "%*u %lu %lu", &resident, &shared) != 2 || shared > resident)
        return 0;
    return (uint64_t)(resident - shared) * (uint64_t)sysconf(_SC_PAGESIZE);
}

void spawn_wait_for_rest(struct process *process, unsigned limit_ms)
{
    char number[24];
    uint64_t seen = 0;
    struct spawn_watch watch;
    snprintf(number, sizeof number, "%ld", (long)process->id);
    spawn_watch_start(&watch);
    while (!thread_list_at_rest(number, &seen) && !spawn_is_ending(process) &&
           spawn_watch_ms(&watch) < limit_ms) {
        spawn_drain(process);
        poll(NULL, 0, 2);
    }
}

bool spawn_is_ending(const struct process *process)
{
    char number[24];
    snprintf(number, sizeof number, "%ld", (long)process->id);
    return thread_list_running(number) == 0;
}

bool spawn_end(struct process *process, unsigned grace_ms, int *status)
{
    int code = 0;
    bool ended = process->id == 0;
    struct spawn_watch watch;
    spawn_watch_start(&watch);
    while (!ended && grace_ms) {
        if (process->errors >= 0)
            spawn_drain(process);
        ended = waitpid(process->id, &code, WNOHANG) == process->id;
        if (ended || spawn_watch_ms(&watch) >= grace_ms)
            break;
        poll(NULL, 0, 2);
    }
    const bool by_itself = ended;
    if (process->id) {
        kill(-process->id, SIGKILL);
        while (!ended && waitpid(process->id, &code, 0) < 0 && errno == EINTR) {}
        spawn_drain(process);
    }
    if (process->socket >= 0)
        close(process->socket);
    if (process->errors >= 0)
        close(process->errors);
    process->id = 0;
    process->socket = process->errors = -1;
    if (status)
        *status = code;
    return by_itself;
}

void make_printable(char *text)
{
    for (unsigned char *at = (unsigned char *)text; *at; at++)
        if ((*at < ' ' && *at != '\n' && *at != '\t') || *at == 0x7f)
            *at = '?';
}

void printed_text(const struct printed *printed, char *text, size_t size)
{
    assert(size);
    size_t at = 0;
    const size_t tail = printed->tail_at < SPAWN_TAIL_SIZE ? printed->tail_at : SPAWN_TAIL_SIZE;
    for (size_t i = 0; i < printed->head_size && at + 1 < size; i++)
        text[at++] = printed->head[i];
    if (printed->tail_at > SPAWN_TAIL_SIZE && at + 1 < size) {
        const int n = snprintf(text + at, size - at, "\n[%zu bytes left out]\n",
                               printed->tail_at - SPAWN_TAIL_SIZE);
        at += (size_t)n < size - at ? (size_t)n : size - at - 1;
    }
    for (size_t i = 0; i < tail && at + 1 < size; i++)
        text[at++] = printed->tail[(printed->tail_at - tail + i) % SPAWN_TAIL_SIZE];
    text[at] = '\0';
    for (size_t i = 0; i < at; i++)
        if (!text[i])
            text[i] = '?';
    make_printable(text);
}
