// SPDX-License-Identifier: Apache-2.0
// Control groups are described in the kernel's Documentation/admin-guide/cgroup-v2.rst, mountinfo
// in proc_pid_mountinfo(5). Groups of version 1 are not looked at.

#define _GNU_SOURCE // sched_getaffinity

#include "ref/base/processors.h"

#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PROCESSORS_MAX = 8192 }; // what Linux can be built for

static FILE *open_below(const char *root, const char *path)
{
    char whole[2 * PATH_MAX];
    const int length = snprintf(whole, sizeof whole, "%s%s", root, path);
    return length > 0 && (size_t)length < sizeof whole ? fopen(whole, "re") : NULL;
}

// The process's group: what follows "0::" in /proc/self/cgroup.
static bool find_group(const char *root, char group[PATH_MAX])
{
    FILE *const file = open_below(root, "/proc/self/cgroup");
    char line[PATH_MAX];
    bool found = false;
    while (file && !found && fgets(line, sizeof line, file))
        if ((found = !strncmp(line, "0::/", 4)))
            snprintf(group, PATH_MAX, "%.*s", (int)strcspn(line + 3, "\n"), line + 3);
    if (file)
        fclose(file);
    return found;
}

// Where groups of version 2 are mounted, and which of them is seen there: fields 5 and 4 of a line
// whose type is cgroup2.
static bool find_mount(const char *root, char place[PATH_MAX], char top[PATH_MAX])
{
    FILE *const file = open_below(root, "/proc/self/mountinfo");
    char line[4 * PATH_MAX];
    bool found = false;
    while (file && !found && fgets(line, sizeof line, file)) {
        const char *const kind = strstr(line, " - ");
        char *rest = line;
        if (!kind || strncmp(kind + 3, "cgroup2 ", 8) != 0)
            continue;
        for (unsigned field = 1; field < 6 && rest; field++) {
            const char *const word = strsep(&rest, " ");
            if (field == 4 || field == 5)
                snprintf(field == 4 ? top : place, PATH_MAX, "%s", word);
        }
        found = rest != NULL;
    }
    if (file)
        fclose(file);
    return found;
}

// "MAX PERIOD" in microseconds, or "max PERIOD".
static unsigned read_quota(const char *root, const char *path)
{
    FILE *const file = open_below(root, path);
    char line[64];
    unsigned count = 0;
    if (file && fgets(line, sizeof line, file)) {
        char *end;
        const unsigned long long most = strtoull(line, &end, 10), period = strtoull(end, NULL, 10);
        if (most && period)
            count = most / period < PROCESSORS_MAX
                        ? (unsigned)(most / period + (most % period != 0))
                        : PROCESSORS_MAX;
    }
    if (file)
        fclose(file);
    return count;
}

unsigned processors_quota(const char *root)
{
    char group[PATH_MAX], place[PATH_MAX], top[PATH_MAX], path[3 * PATH_MAX];
    unsigned least = 0;
    if (!find_group(root, group) || !find_mount(root, place, top))
        return 0;
    // The mount shows the tree from `top` on.
    const size_t skip =
        strcmp(top, "/") != 0 && !strncmp(group, top, strlen(top)) ? strlen(top) : 0;
    char *const below = group + skip;
    for (;;) {
        snprintf(path, sizeof path, "%s%s/cpu.max", place, below);
        const unsigned count = read_quota(root, path);
        least = count && (!least || count < least) ? count : least;
        char *const slash = strrchr(below, '/');
        if (!slash)
            return least;
        *slash = '\0';
    }
}

static unsigned own_quota;

static void find_own_quota(void)
{
    own_quota = processors_quota("");
}

unsigned processors_usable(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    cpu_set_t set[PROCESSORS_MAX / CPU_SETSIZE];
    const int allowed = sched_getaffinity(0, sizeof set, set) ? 0 : CPU_COUNT_S(sizeof set, set);
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    const unsigned count = allowed > 0 ? (unsigned)allowed : online > 0 ? (unsigned)online : 1;
    pthread_once(&once, find_own_quota);
    return own_quota && own_quota < count ? own_quota : count;
}
