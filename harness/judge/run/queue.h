// SPDX-License-Identifier: Apache-2.0
// The next case for this process, and the next window of a case whose output is too large to be
// held whole.
//
// A process that is alone takes all cases. The processes of a pool each take the next few, so an
// expensive case delays only its own process. The processes of a plan, which do not see each other,
// have each every n-th case. A case of many windows would still delay its process: all processes
// take windows of it.

#ifndef ASSAY_HARNESS_JUDGE_RUN_QUEUE_H
#define ASSAY_HARNESS_JUDGE_RUN_QUEUE_H

#include "harness/judge/run/run.h"

struct queue {
    struct judge_run *run;
    const struct judge_options *options;
    size_t at;           // the next result to look at
    size_t supported;    // how many supported cases stand before it
    uint64_t first, end; // of a pool: supported cases [first, end) are this process's
};

// Which windows of a case are this process's: every `step`th from `first` on, or what the others of
// the pool leave.
struct queue_windows {
    bool shared; // other processes judge the rest
    struct judge_pool *pool;
    struct judge_pool_case *of;
    uint64_t first, step;
};

struct queue_case {
    struct judge_result *result;
    size_t number;   // its place among the supported cases, or among all steps: it decides under
                     // which conditions the case is run
    bool ends_batch; // run what was taken before more is taken
    struct queue_windows windows;
};

struct queue queue_make(struct judge_run *run, const struct judge_options *options);

// How many cases are numbered.
size_t queue_length(const struct queue *queue);

// The next supported case of this process, whose result is then marked as its own; false: none.
bool queue_next(struct queue *queue, struct queue_case *next);

// Whether result `i` is one of the run's part.
bool queue_is_of_part(const struct judge_run *run, const struct judge_options *options, size_t i);

// The first window of this process, and the next one after `k`; one beyond all where there is none.
uint64_t queue_first_window(const struct queue_windows *windows);
uint64_t queue_next_window(const struct queue_windows *windows, uint64_t k);

// Says that window `k` was not answered: no later one matters.
void queue_end_windows(const struct queue_windows *windows, uint64_t k);

#endif
