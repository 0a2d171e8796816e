// SPDX-License-Identifier: Apache-2.0
// Verdicts under each allowed profile.
//
// Steps of a case, and the other requests of a relation, cannot be judged again when the profile is
// chosen: they bring along a verdict under each.

#ifndef ASSAY_HARNESS_JUDGE_RUN_BY_PROFILE_H
#define ASSAY_HARNESS_JUDGE_RUN_BY_PROFILE_H

#include "harness/judge/run/run.h"

// Lists the profiles that a run may be judged under, the default first: those that `suite` allows,
// or, where one is given, that one.
enum error by_profile_list(struct judge_run *run, const struct suite *suite,
                           const struct named_profile *given, struct diagnostic *diagnostic);

// Whether what the case allows of run->allowed[at], which goes to *allowed, is another profile than
// what it allows of those before.
bool by_profile_differs(const struct judge_run *run, const struct suite_case *of, size_t at,
                        struct named_profile *allowed);

// Whether the result's verdict follows from values or from refusals, which another profile may
// make right.
bool by_profile_applies(const struct judge_result *result);

// Sets result->under of a result that was judged by the default profile, which keeps its verdict:
// `judge` gives that under what the case allows of another. Of a result whose verdict no profile
// changes it stays NULL.
enum error by_profile_fill(struct judge_run *run, struct judge_result *result,
                           enum error (*judge)(void *context, const struct named_profile *profile,
                                               enum verdict *verdict,
                                               struct diagnostic *diagnostic),
                           void *context, struct diagnostic *diagnostic);

// Adds a step's verdicts to those of its case: the worse of both under each profile.
enum error by_profile_join(struct judge_run *run, struct judge_result *whole,
                           const struct judge_result *step, struct diagnostic *diagnostic);

// The verdict of a result that has `under` under a profile that need not be listed: that under the
// simplest one that is the same for the case, a failure where that is not listed either.
enum verdict by_profile_verdict_of(const struct judge_run *run, const struct judge_result *result,
                                   const struct named_profile *profile);

// Whether it fails under every profile.
bool by_profile_fails_all(const struct judge_result *result);

#endif
