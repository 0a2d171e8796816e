// SPDX-License-Identifier: Apache-2.0
#include "harness/judge/run/crew.h"

#include <time.h>
#include <unistd.h>

size_t judge_crew_size(size_t cases)
{
    const size_t size = sizeof(struct judge_crew) + cases * sizeof(struct judge_crew_case);
    return (size + 63) / 64 * 64;
}

static bool is_broken(const struct judge_crew *crew)
{
    return atomic_load(crew->stopped) || getppid() != crew->owner;
}

uint64_t judge_crew_take(const struct judge_crew *crew, _Atomic uint64_t *counter, uint64_t most)
{
    return is_broken(crew) ? UINT64_MAX : atomic_fetch_add(counter, most);
}

// What is left is a moment's work of another process, and a lock would outlive one that is killed.
bool judge_crew_wait(const struct judge_crew *crew, uint64_t cases)
{
    static const struct timespec moment = {.tv_nsec = 200000};
    while (atomic_load(&crew->asked) < cases) {
        if (is_broken(crew))
            return false;
        nanosleep(&moment, NULL);
    }
    return true;
}
