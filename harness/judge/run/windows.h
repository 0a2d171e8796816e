// SPDX-License-Identifier: Apache-2.0
// Cases whose output is too large to be held whole: judged window after window, where the target
// gives windows. What is kept of a window is a SHA-256 of what the target gave, so that other
// profiles can be held against all of the output later.

#ifndef ASSAY_HARNESS_JUDGE_RUN_WINDOWS_H
#define ASSAY_HARNESS_JUDGE_RUN_WINDOWS_H

#include "harness/judge/run/certify.h"
#include "harness/judge/run/trial.h"

// What keeps the trial's case, which is too large, from being judged so, in words; NULL: nothing.
// It takes one output whose bits are wanted and which the reference computes in slices, and one
// run.
const char *windows_obstacle(const struct trial *trial, const struct host_description *description);

// Asks for one window of it.
void windows_ask(struct trial *trial);

// A window and what became of it.
struct judge_window {
    struct judge_window *next;
    uint64_t at;
    struct judge_result result; // `windows` holds its digest
};

// Which windows are whose: every `step`th from `first` on, or what the others of a crew leave.
struct windows_share {
    struct judge_crew *crew;
    struct judge_crew_case *of; // of the crew
    uint64_t first, step;
};

// Runs and judges those windows of the case that are of the share, and adds them to the trial's
// result. `trial` has been made and not been run; each window goes through the conditions of `plan`
// that come next after those of case `index`, of `count`. A window that is not answered ends it; a
// wrong one does not.
enum error windows_judge(struct judge_run *run, struct host *host, const struct trial *trial,
                         const struct conditions_plan *plan, size_t index, size_t count,
                         const struct windows_share *share, struct diagnostic *diagnostic);

// Makes of all windows the result that the case has, whoever judged them. ERROR_INPUT where one is
// missing, is there twice or does not fit the others.
enum error windows_join(struct judge_run *run, struct judge_result *result,
                        struct diagnostic *diagnostic);

// judge_matches of a result that was made so.
enum error windows_match(const struct suite *suite, const struct judge_result *result,
                         const struct named_profile *profile, bool *matches,
                         struct diagnostic *diagnostic);

// The most windows that a case may have.
enum { WINDOWS_MAX = 1 << 16 };

// SHA-256 of `count` elements as little-endian bytes, all NaN as one.
enum error windows_digest(enum dtype dtype, const void *data, uint64_t count,
                          unsigned char digest[DIGEST_SIZE], struct diagnostic *diagnostic);

// How many windows an output of `count` elements has.
uint64_t windows_count(uint64_t count);

#endif
