// SPDX-License-Identifier: Apache-2.0
// What was run waits for the judge.

#ifndef ASSAY_HARNESS_JUDGE_RUN_BACKLOG_H
#define ASSAY_HARNESS_JUDGE_RUN_BACKLOG_H

#include <stdbool.h>
#include <stddef.h>

#include "ref/base/error.h"

struct chunk;

// Chunks that were run and are not judged yet, in their order. A target may be quick with
// one case and slow with the next, and so may the judge: neither waits for the other as long as
// there is something here, of this suite or of one before, whose run must last. A zeroed one is
// empty.
struct judge_backlog {
    struct backlog_entry *first, *last;
    size_t bytes;
};

// Takes a chunk that was run; it is empty then.
enum error backlog_put(struct judge_backlog *backlog, struct chunk *chunk,
                       struct diagnostic *diagnostic);

// Judges the next case; false when none is left, or one could not be judged. What host_run_beside
// takes.
bool backlog_work(void *backlog);

// Judges chunks until no more than `most` bytes are left; 0: all of them.
enum error backlog_judge(struct judge_backlog *backlog, size_t most, struct diagnostic *diagnostic);

void backlog_release(struct judge_backlog *backlog);

#endif
