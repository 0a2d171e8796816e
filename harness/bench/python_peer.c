// SPDX-License-Identifier: Apache-2.0
#include "harness/bench/python_peer.h"

#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ARGUMENTS_MAX = 6 };

extern char **environ;

// Its name, up to the end of the line.
static bool read_name(struct python_peer *peer)
{
    size_t length = 0;
    while (length + 1 < sizeof peer->name && read(peer->answer, peer->name + length, 1) == 1)
        if (peer->name[length++] == '\n') {
            peer->name[length - 1] = '\0';
            return true;
        }
    return false;
}

bool python_peer_start(struct python_peer *peer, const char *const *arguments, const char *what,
                       char why[BENCH_WHY_SIZE])
{
    const char *const python = getenv("PYTHON");
    char *all[ARGUMENTS_MAX + 2] = {(char *)(uintptr_t)(python ? python : "build/venv/bin/python")};
    int to[2], from[2];
    posix_spawn_file_actions_t actions;
    for (size_t i = 0; i < ARGUMENTS_MAX && arguments[i]; i++)
        all[i + 1] = (char *)(uintptr_t)arguments[i];
    if (pipe(to) || pipe(from)) {
        snprintf(why, BENCH_WHY_SIZE, "no pipe");
        return false;
    }
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, to[0], 0);
    posix_spawn_file_actions_adddup2(&actions, from[1], 1);
    posix_spawn_file_actions_addclose(&actions, to[1]);
    posix_spawn_file_actions_addclose(&actions, from[0]);
    const int failed = posix_spawnp(&peer->child, all[0], &actions, NULL, all, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(to[0]);
    close(from[1]);
    peer->ask = to[1];
    peer->answer = from[0];
    if (failed)
        peer->child = 0;
    if (!failed && read_name(peer))
        return true;
    snprintf(why, BENCH_WHY_SIZE, "%s has no %s", all[0], what);
    python_peer_stop(peer);
    return false;
}

void python_peer_call(const struct python_peer *peer)
{
    char byte = 0;
    if (write(peer->ask, &byte, 1) != 1 || read(peer->answer, &byte, 1) != 1)
        abort();
}

void python_peer_stop(struct python_peer *peer)
{
    if (peer->ask) {
        close(peer->ask);
        close(peer->answer);
    }
    if (peer->child)
        waitpid(peer->child, NULL, 0);
    *peer = (struct python_peer){.child = 0};
}
