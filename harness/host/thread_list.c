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

static size_t read_file(const char *threads, const char *thread, const char *name, char *text,
                        size_t size)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%.20s/%s", threads, thread, name);
    return file_read_start(path, text, size);
}

// The system may still list a thread that has been joined: it wakes the waiter first and removes
// the thread from its list afterwards.
static bool is_ending(const char *threads, const char *thread)
{
    enum {
        FLAGS_BEHIND_NAME = 7,
        PF_EXITING = 4
    }; // Linux, include/linux/sched.h; proc_pid_stat(5): the ninth field
    char text[1024];
    read_file(threads, thread, "stat", text, sizeof text);
    const char *at = strrchr(text, ')'); // the name before it may hold spaces
    for (int i = 0; at && i < FLAGS_BEHIND_NAME; i++)
        at = strchr(at + 1, ' ');
    return !at || (strtoul(at, NULL, 10) & PF_EXITING) != 0;
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
static bool is_at_rest(const char *threads, const char *thread)
{
    char text[256], *at = text;
    if (!read_file(threads, thread, "syscall", text, sizeof text))
        return true;
    if (text[0] < '0' || text[0] > '9')
        return false;
    const long call = strtol(at, &at, 10);
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

// How many threads are so.
static unsigned count(const char *process, bool (*is)(const char *threads, const char *thread))
{
    char threads[64];
    unsigned found = 0;
    snprintf(threads, sizeof threads, "/proc/%.20s/task", process);
    DIR *const directory = opendir(threads);
    for (const struct dirent *entry = directory ? readdir(directory) : NULL; entry;
         entry = readdir(directory))
        found += entry->d_name[0] != '.' && is(threads, entry->d_name);
    if (directory)
        closedir(directory);
    return found;
}

static bool is_running(const char *threads, const char *thread)
{
    return !is_ending(threads, thread);
}

static bool is_active(const char *threads, const char *thread)
{
    return !is_at_rest(threads, thread);
}

unsigned thread_list_running(const char *process)
{
    return count(process, is_running);
}

// A folder has a link for itself, one of its parent, and one for each folder in it: each thread.
bool thread_list_alone(void)
{
    struct stat status;
    return !stat("/proc/self/task", &status) && status.st_nlink == 3;
}

bool thread_list_at_rest(const char *process)
{
    return count(process, is_active) == 0;
}
