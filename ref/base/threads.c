// SPDX-License-Identifier: Apache-2.0
// Work on a range split among threads: pieces are handed out by an atomic counter, so that uneven
// pieces balance.

#include "ref/base/threads.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

#include "ref/base/processors.h"

enum { THREADS_MAX = 1024 };

unsigned threads_available(void)
{
    const char *const wanted = getenv("ASSAY_THREADS");
    if (wanted) {
        char *end;
        const unsigned long n = strtoul(wanted, &end, 10);
        if (*wanted && !*end && n >= 1 && n <= THREADS_MAX)
            return (unsigned)n;
    }
    const unsigned usable = processors_usable();
    return usable > THREADS_MAX ? THREADS_MAX : usable;
}

struct pool {
    threads_job job;
    void *context;
    uint64_t total, grain, pieces;
    _Atomic uint64_t next;
    pthread_mutex_t lock;
    uint64_t failed_piece; // UINT64_MAX: none
    struct diagnostic diagnostic;
};

static void *work(void *argument)
{
    struct pool *const pool = argument;
    for (uint64_t piece; (piece = atomic_fetch_add(&pool->next, 1)) < pool->pieces;) {
        const uint64_t first = piece * pool->grain, left = pool->total - first;
        struct diagnostic diagnostic = {ERROR_NONE, 0, 0, "", "", ""};
        const enum error error =
            pool->job(pool->context, first, left < pool->grain ? left : pool->grain, &diagnostic);
        if (!error)
            continue;
        pthread_mutex_lock(&pool->lock);
        if (piece < pool->failed_piece) {
            pool->failed_piece = piece;
            pool->diagnostic = diagnostic;
            pool->diagnostic.error = error;
        }
        pthread_mutex_unlock(&pool->lock);
        atomic_store(&pool->next, pool->pieces);
    }
    return NULL;
}

enum error threads_run(unsigned threads, uint64_t total, uint64_t grain, threads_job job,
                       void *context, struct diagnostic *diagnostic)
{
    assert(job);
    if (!total)
        return ERROR_NONE;
    if (!grain)
        grain = 1;
    struct pool pool = {.job = job,
                        .context = context,
                        .total = total,
                        .grain = grain,
                        .pieces = total / grain + (total % grain != 0),
                        .lock = PTHREAD_MUTEX_INITIALIZER,
                        .failed_piece = UINT64_MAX};
    if (!threads)
        threads = pool.pieces == 1
                      ? 1
                      : threads_available(); // to ask the system costs more than many a piece
    if (threads > THREADS_MAX)
        threads = THREADS_MAX;
    if (threads > pool.pieces)
        threads = (unsigned)pool.pieces;
    pthread_t thread[THREADS_MAX];
    unsigned started = 0;
    while (started + 1 < threads && !pthread_create(&thread[started], NULL, work, &pool))
        started++;
    work(&pool);
    for (unsigned i = 0; i < started; i++)
        pthread_join(thread[i], NULL);
    if (pool.failed_piece == UINT64_MAX)
        return ERROR_NONE;
    if (diagnostic)
        *diagnostic = pool.diagnostic;
    return pool.diagnostic.error;
}
