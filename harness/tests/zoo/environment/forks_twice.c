// SPDX-License-Identifier: Apache-2.0
// Leaves an orphaned process behind: the child of a child that has ended.

#include <sys/wait.h>
#include <unistd.h>

#include "harness/tests/zoo/zoo.h"

static bool misbehave(void)
{
    const pid_t child = fork();
    if (child == 0) {
        if (fork() == 0)
            for (;;)
                pause();
        _exit(0);
    }
    waitpid(child, NULL, 0);
    return true;
}

static const struct zoo_plugin zoo_plugin = {.name = "forks_twice", .before = misbehave};
