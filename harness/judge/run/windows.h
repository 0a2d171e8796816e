// SPDX-License-Identifier: Apache-2.0
// Cases whose output is too large to be held whole: judged window after window, where the target
// gives windows. What is kept of a window that differs from the reference is a SHA-256 of what the
// target gave, so that other profiles can be held against all of the output later.

#ifndef ASSAY_HARNESS_JUDGE_RUN_WINDOWS_H
#define ASSAY_HARNESS_JUDGE_RUN_WINDOWS_H

#include "harness/judge/run/chunk.h"
#include "harness/judge/run/queue.h"

// A window and what became of it.
struct judge_window {
    struct judge_window *next;
    uint64_t at;
    struct judge_result result; // `windows` holds its digest
};

// Runs and judges those windows of the case that are this process's, and adds them to its result;
// joins them where they are all. `trial` has been made of the case and not been run; each window
// goes through the conditions of the plan that come next after those of the case. A window that is
// not answered ends it; a wrong one does not.
enum error windows_judge(const struct judging *judging, const struct trial *trial,
                         const struct queue_case *next, struct judge_backlog *backlog,
                         struct diagnostic *diagnostic);

// Makes one result of all windows of a case, whichever processes judged them. ERROR_INPUT where one
// is missing, is there twice or does not fit the others.
enum error windows_join(struct judge_run *run, struct judge_result *result,
                        struct diagnostic *diagnostic);

// judge_matches of a result that was made so.
enum error windows_match(const struct suite *suite, const struct judge_result *result,
                         const struct named_profile *profile, bool *matches,
                         struct diagnostic *diagnostic);

#endif
