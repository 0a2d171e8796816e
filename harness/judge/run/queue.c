// SPDX-License-Identifier: Apache-2.0
// No process hands out work: each finds its own, by its number or by a shared counter.

#include "harness/judge/run/queue.h"

#include <assert.h>

// Few at a time: the other processes wait for the one that has the last cases.
enum { QUEUE_POOL_CASES = 32 };

struct queue queue_make(struct judge_run *run, const struct judge_options *options)
{
    assert(run->step && run->first < run->step);
    return (struct queue){.run = run, .options = options};
}

size_t queue_length(const struct queue *queue)
{
    return queue->options->parent ? queue->run->result_count
                                  : judge_count(queue->run, VERDICT_PASS);
}

bool queue_is_of_part(const struct judge_run *run, const struct judge_options *options, size_t i)
{
    return (options->parent ? options->parent[i] : i) % run->step == run->first;
}

// ---- cases ------------------------------------------------------------------

// Whether case `number` is among those that this process has taken from the pool. What it has taken
// comes before it takes more.
static bool is_taken(struct queue *queue, size_t number)
{
    struct judge_pool *const pool = queue->options->pool;
    // Several times where cases between were finished before: none of them is left to others.
    while (number >= queue->end) {
        queue->first = judge_pool_take(pool, &pool->next_run, QUEUE_POOL_CASES);
        queue->end = queue->first == UINT64_MAX ? UINT64_MAX : queue->first + QUEUE_POOL_CASES;
    }
    return number >= queue->first;
}

// Windows of steps are not shared: all steps of a case go to one part.
static struct queue_windows find_windows(const struct queue *queue, size_t i, size_t number)
{
    const struct judge_run *const run = queue->run;
    struct judge_pool *const pool = queue->options->pool;
    struct queue_windows windows = {.step = 1};
    if (!run->result[i].windowed || queue->options->parent || (!pool && run->step == 1))
        return windows;
    windows.shared = true;
    if (pool) {
        windows.pool = pool;
        windows.of = &pool->of[i];
    } else {
        windows.first = (run->first + run->step - number % run->step) % run->step;
        windows.step = run->step;
    }
    return windows;
}

bool queue_next(struct queue *queue, struct queue_case *next)
{
    const struct judge_options *const options = queue->options;
    while (queue->at < queue->run->result_count) {
        const size_t i = queue->at++;
        struct judge_result *const result = &queue->run->result[i];
        if (result->verdict != VERDICT_PASS)
            continue;
        const size_t number = options->parent ? i : queue->supported++;
        if (options->finished && options->finished->result[i].mine)
            continue;
        const struct queue_windows windows = find_windows(queue, i, number);
        result->mine = windows.shared || (options->pool ? is_taken(queue, number)
                                                        : queue_is_of_part(queue->run, options, i));
        if (!result->mine)
            continue;
        *next = (struct queue_case){.result = result,
                                    .number = number,
                                    .ends_batch = options->pool && number + 1 == queue->end,
                                    .windows = windows};
        return true;
    }
    return false;
}

// ---- windows ----------------------------------------------------------------

static uint64_t take_window(const struct queue_windows *windows)
{
    const uint64_t next = judge_pool_take(windows->pool, &windows->of->next_window, 1),
                   last = atomic_load(&windows->of->last_window);
    return last && next >= last ? UINT64_MAX : next;
}

uint64_t queue_first_window(const struct queue_windows *windows)
{
    return windows->pool ? take_window(windows) : windows->first;
}

uint64_t queue_next_window(const struct queue_windows *windows, uint64_t k)
{
    assert(windows->pool || windows->step);
    return windows->pool ? take_window(windows) : k + windows->step;
}

// Windows are taken in their order, so that those before the last one are judged by some process.
void queue_end_windows(const struct queue_windows *windows, uint64_t k)
{
    uint64_t last = 0;
    while (windows->pool && (!last || k + 1 < last) &&
           !atomic_compare_exchange_weak(&windows->of->last_window, &last, k + 1)) {}
}
