// SPDX-License-Identifier: Apache-2.0
#include "harness/judge/run/backlog.h"

#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

// What is not done yet may hold so many bytes while more is put there.
enum { BACKLOG_BYTES = 8 << 20 };

struct backlog_thread {
    pthread_t id;
    pthread_mutex_t lock; // of all that follows
    pthread_cond_t changed;
    struct backlog_job *first, *last; // the first may be the thread's own
    size_t bytes;
    bool ends;
    enum error error; // after which nothing is done
    struct diagnostic diagnostic;
};

static void drop_first(struct backlog_thread *thread)
{
    struct backlog_job *const job = thread->first;
    thread->first = job->next;
    thread->last = thread->first ? thread->last : NULL;
    thread->bytes -= job->bytes;
    job->release(job);
}

// Does a part of the first job, without the lock.
static void work(struct backlog_thread *thread)
{
    struct backlog_job *const job = thread->first;
    enum error error = ERROR_NONE;
    struct diagnostic diagnostic;
    pthread_mutex_unlock(&thread->lock);
    const bool more = job->work(job, &error, &diagnostic);
    pthread_mutex_lock(&thread->lock);
    if (error) {
        thread->error = error;
        thread->diagnostic = diagnostic;
    }
    if (more && !error)
        return;
    drop_first(thread);
    pthread_cond_broadcast(&thread->changed);
}

static void *work_all(void *context)
{
    struct backlog_thread *const thread = context;
    pthread_mutex_lock(&thread->lock);
    while (!thread->ends)
        if (thread->first && !thread->error)
            work(thread);
        else
            pthread_cond_wait(&thread->changed, &thread->lock);
    pthread_mutex_unlock(&thread->lock);
    return NULL;
}

// Signals are for the thread that calls.
static struct backlog_thread *start_thread(void)
{
    struct backlog_thread *const made = calloc(1, sizeof *made);
    sigset_t all, before;
    if (!made)
        return NULL;
    sigfillset(&all);
    pthread_mutex_init(&made->lock, NULL);
    pthread_cond_init(&made->changed, NULL);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const bool started = !pthread_create(&made->id, NULL, work_all, made);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (started)
        return made;
    pthread_cond_destroy(&made->changed);
    pthread_mutex_destroy(&made->lock);
    free(made);
    return NULL;
}

// Until no more than `most` bytes are left; with 0, until all is done.
static enum error wait_for(struct backlog_thread *thread, size_t most,
                           struct diagnostic *diagnostic)
{
    while (!thread->error && thread->first && (!most || thread->bytes > most))
        pthread_cond_wait(&thread->changed, &thread->lock);
    if (thread->error)
        *diagnostic = thread->diagnostic;
    return thread->error;
}

enum error backlog_put(struct judge_backlog *backlog, struct backlog_job *job,
                       struct diagnostic *diagnostic)
{
    assert(job->work && job->release);
    if (!backlog->thread)
        backlog->thread = start_thread();
    struct backlog_thread *const thread = backlog->thread;
    if (!thread) {
        job->release(job);
        return diagnostic_no_memory(diagnostic);
    }
    job->next = NULL;
    pthread_mutex_lock(&thread->lock);
    *(thread->last ? &thread->last->next : &thread->first) = job;
    thread->last = job;
    thread->bytes += job->bytes;
    pthread_cond_broadcast(&thread->changed);
    const enum error error = wait_for(thread, BACKLOG_BYTES, diagnostic);
    pthread_mutex_unlock(&thread->lock);
    return error;
}

enum error backlog_wait(struct judge_backlog *backlog, struct diagnostic *diagnostic)
{
    struct backlog_thread *const thread = backlog->thread;
    if (!thread)
        return ERROR_NONE;
    pthread_mutex_lock(&thread->lock);
    const enum error error = wait_for(thread, 0, diagnostic);
    pthread_mutex_unlock(&thread->lock);
    return error;
}

void backlog_release(struct judge_backlog *backlog)
{
    struct backlog_thread *const thread = backlog->thread;
    if (!thread)
        return;
    pthread_mutex_lock(&thread->lock);
    thread->ends = true;
    pthread_cond_broadcast(&thread->changed);
    pthread_mutex_unlock(&thread->lock);
    pthread_join(thread->id, NULL);
    while (thread->first)
        drop_first(thread);
    assert(!thread->bytes);
    pthread_cond_destroy(&thread->changed);
    pthread_mutex_destroy(&thread->lock);
    free(thread);
    backlog->thread = NULL;
}
