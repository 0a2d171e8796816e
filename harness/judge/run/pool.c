// SPDX-License-Identifier: Apache-2.0
// Counters alone are shared: a lock would outlive a process that is killed while it holds it.

#include "harness/judge/run/pool.h"

#include <assert.h>
#include <time.h>
#include <unistd.h>

size_t judge_pool_size(size_t cases)
{
    const size_t size = sizeof(struct judge_pool) + cases * sizeof(struct judge_pool_case);
    return (size + 63) / 64 * 64;
}

static bool is_broken(const struct judge_pool *pool)
{
    return atomic_load(pool->stopped) || getppid() != pool->owner;
}

uint64_t judge_pool_take(const struct judge_pool *pool, _Atomic uint64_t *counter, uint64_t most)
{
    assert(most);
    return is_broken(pool) ? UINT64_MAX : atomic_fetch_add(counter, most);
}

// What is left is a moment's work of another process.
bool judge_pool_wait(const struct judge_pool *pool, uint64_t cases)
{
    static const struct timespec moment = {.tv_nsec = 200000};
    while (atomic_load(&pool->asked) < cases) {
        if (is_broken(pool))
            return false;
        nanosleep(&moment, NULL);
    }
    return true;
}
