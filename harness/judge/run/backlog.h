// SPDX-License-Identifier: Apache-2.0
// Work that a thread of its own does while the caller goes on: what ran is judged, so that neither
// the target waits for the judge, nor one suite for the one before.

#ifndef ASSAY_HARNESS_JUDGE_RUN_BACKLOG_H
#define ASSAY_HARNESS_JUDGE_RUN_BACKLOG_H

#include <stdbool.h>
#include <stddef.h>

#include "ref/base/error.h"

struct backlog_job {
    struct backlog_job *next; // the backlog's
    size_t bytes;             // of memory that it holds until it is done
    // Does the next part. False when none is left, or *error says why it could not be done.
    bool (*work)(struct backlog_job *job, enum error *error, struct diagnostic *diagnostic);
    void (*release)(struct backlog_job *job);
};

// Jobs that are not done yet. A zeroed one is empty.
struct judge_backlog {
    struct backlog_thread *thread; // NULL: nothing was put there
};

// Takes a job, whatever comes of it; they are done in their order, one at a time. Waits until no
// more is left than may be. An error is that of a job before, after which none is done.
enum error backlog_put(struct judge_backlog *backlog, struct backlog_job *job,
                       struct diagnostic *diagnostic);

// Waits until all are done.
enum error backlog_wait(struct judge_backlog *backlog, struct diagnostic *diagnostic);

// What was not done never is.
void backlog_release(struct judge_backlog *backlog);

#endif
