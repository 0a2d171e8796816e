// SPDX-License-Identifier: Apache-2.0
#include "harness/host/thread_list.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// The system may still list a thread that has been joined: it wakes the waiter first and removes
// the thread from its list afterwards.
static bool is_ending(const char *threads, const char *thread)
{
    enum {
        FLAGS_BEHIND_NAME = 7,
        PF_EXITING = 4
    }; // Linux, include/linux/sched.h; proc_pid_stat(5): the ninth field
    char path[96], text[1024];
    snprintf(path, sizeof path, "%s/%.20s/stat", threads, thread);
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t size = file < 0 ? 0 : read(file, text, sizeof text - 1);
    if (file >= 0)
        close(file);
    text[size > 0 ? size : 0] = '\0';
    const char *at = strrchr(text, ')'); // the name before it may hold spaces
    for (int i = 0; at && i < FLAGS_BEHIND_NAME; i++)
        at = strchr(at + 1, ' ');
    return !at || (strtoul(at, NULL, 10) & PF_EXITING) != 0;
}

unsigned thread_list_running(const char *process)
{
    char threads[64];
    unsigned running = 0;
    snprintf(threads, sizeof threads, "/proc/%.20s/task", process);
    DIR *const directory = opendir(threads);
    for (const struct dirent *entry = directory ? readdir(directory) : NULL; entry;
         entry = readdir(directory))
        running += entry->d_name[0] != '.' && !is_ending(threads, entry->d_name);
    if (directory)
        closedir(directory);
    return running;
}
