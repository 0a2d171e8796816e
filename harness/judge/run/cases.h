// SPDX-License-Identifier: Apache-2.0
// The cases of a suite go through a target: all of them, or those of one part.

#ifndef ASSAY_HARNESS_JUDGE_RUN_CASES_H
#define ASSAY_HARNESS_JUDGE_RUN_CASES_H

#include "harness/judge/run/run.h"

// Asks about every case whose id matches, and runs and judges those of this process against the
// default profile. Support is asked for all cases also for a part: under which conditions a case is
// run depends on the others. Steps of one case go to one part, which asks about them alone: what is
// done to a step depends on its place among all steps. Release the run also after an error.
enum error judge_cases(const struct suite *suite, struct host *host,
                       const struct judge_options *options, struct judge_run *run,
                       struct diagnostic *diagnostic);

// Chunks (chunk.h) that were run and are not judged yet, in their order. A target may be quick with
// one case and slow with the next, and so may the judge: neither waits for the other as long as
// there is something here, of this suite or of one before, whose run must last. A zeroed one is
// empty.
struct judge_backlog {
    struct backlog_entry *first, *last;
    size_t bytes;
};

// Judges the next case; false when none is left, or one could not be judged. What host_run_beside
// takes.
bool backlog_work(void *backlog);

// Judges chunks until no more than `most` bytes are left; 0: all of them.
enum error backlog_judge(struct judge_backlog *backlog, size_t most, struct diagnostic *diagnostic);

void backlog_release(struct judge_backlog *backlog);

// Sets the run's model to what its description declares; the standard one where it is silent.
enum error judge_read_model(struct judge_run *run, struct diagnostic *diagnostic);

#endif
