// SPDX-License-Identifier: Apache-2.0
#include "harness/host/thread_list.h"

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "ref/base/file.h"
#include "ref/base/hash.h"

static size_t read_file(const char *threads, const char *thread, const char *name, char *text,
                        size_t size)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%.20s/%s", threads, thread, name);
    return file_read_start(path, text, size);
}

// From proc_pid_stat(5), the third field and the ninth.
struct state {
    char letter; // '\0': the system does not say
    unsigned long flags;
};

static struct state read_state(const char *threads, const char *thread)
{
    enum { FLAGS_BEHIND_NAME = 7 };
    struct state state = {0};
    char text[1024];
    read_file(threads, thread, "stat", text, sizeof text);
    const char *at = strrchr(text, ')'); // the name before it may hold spaces
    for (int i = 0; at && i < FLAGS_BEHIND_NAME; i++) {
        at = strchr(at + 1, ' ');
        if (at && i == 0)
            state.letter = at[1];
    }
    state.flags = at ? strtoul(at, NULL, 10) : 0;
    return state;
}

// The system may still list a thread that has been joined: it wakes the waiter first and removes
// the thread from its list afterwards.
static bool is_ending(const char *threads, const char *thread)
{
    enum { PF_EXITING = 4 }; // Linux, include/linux/sched.h
    const struct state state = read_state(threads, thread);
    return !state.letter || (state.flags & PF_EXITING) != 0;
}

// System calls that wait, and which argument says how long; of the others a thread that waits in
// one does so until something happens.
static const struct wait {
    long call;
    int argument;                     // -1: it always ends
    enum { POINTER, NUMBER } endless; // NULL, or a number below 0
} waits[] = {
    {SYS_futex, 3, POINTER},      {SYS_clock_nanosleep, -1, POINTER},
    {SYS_nanosleep, -1, POINTER}, {SYS_ppoll, 2, POINTER},
    {SYS_pselect6, 4, POINTER},   {SYS_rt_sigtimedwait, 2, POINTER},
    {SYS_epoll_pwait, 3, NUMBER}, {SYS_sched_yield, -1, POINTER},
#if defined(SYS_poll)
    {SYS_poll, 2, NUMBER},        {SYS_epoll_wait, 3, NUMBER},
    {SYS_select, 4, POINTER},
#endif
};

// From proc_pid_syscall(5): "running", or the number of the call and its arguments.
static bool waits_without_end(const char *call_text)
{
    char *at = NULL;
    if (call_text[0] < '0' || call_text[0] > '9')
        return false;
    const long call = strtol(call_text, &at, 10);
    for (size_t i = 0; i < sizeof waits / sizeof *waits; i++) {
        if (waits[i].call != call)
            continue;
        uint64_t value = 1;
        for (int k = 0; k <= waits[i].argument; k++)
            value = strtoull(at, &at, 16);
        return waits[i].argument >= 0 &&
               (waits[i].endless == POINTER ? value == 0 : (int32_t)value < 0);
    }
    return true;
}

// Only an interruptible sleep ('S') waits for what comes from outside: in any other a thread waits
// for the system itself, as for a lock, and goes on by itself. Adds to *seen what it was found at,
// and how long it has run (Documentation/scheduler/sched-stats.rst), unless the system does not
// say.
static bool is_at_rest(const char *threads, const char *thread, uint64_t *seen)
{
    char text[256];
    *seen = hash_add(*seen, thread, strlen(thread));
    size_t size = read_file(threads, thread, "schedstat", text, sizeof text);
    *seen = hash_add(*seen, text, size);
    size = read_file(threads, thread, "syscall", text, sizeof text);
    *seen = hash_add(*seen, text, size);
    return !size || (waits_without_end(text) && read_state(threads, thread).letter == 'S');
}

static DIR *open_list(const char *process, char *threads, size_t size)
{
    snprintf(threads, size, "/proc/%.20s/task", process);
    return opendir(threads);
}

unsigned thread_list_running(const char *process)
{
    char threads[64];
    unsigned found = 0;
    DIR *const directory = open_list(process, threads, sizeof threads);
    for (const struct dirent *entry = directory ? readdir(directory) : NULL; entry;
         entry = readdir(directory))
        found += entry->d_name[0] != '.' && !is_ending(threads, entry->d_name);
    if (directory)
        closedir(directory);
    return found;
}

// A folder has a link for itself, one of its parent, and one for each folder in it: each thread.
bool thread_list_alone(void)
{
    struct stat status;
    return !stat("/proc/self/task", &status) && status.st_nlink == 3;
}

bool thread_list_at_rest(const char *process, uint64_t *seen)
{
    char threads[64];
    const uint64_t before = *seen;
    bool at_rest = true;
    *seen = HASH_EMPTY;
    DIR *const directory = open_list(process, threads, sizeof threads);
    for (const struct dirent *entry = directory ? readdir(directory) : NULL; entry;
         entry = readdir(directory))
        if (entry->d_name[0] != '.' && !is_at_rest(threads, entry->d_name, seen))
            at_rest = false;
    if (directory)
        closedir(directory);
    return at_rest && *seen == before;
}
