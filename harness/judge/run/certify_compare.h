// SPDX-License-Identifier: Apache-2.0
// A case beside the reference: its request under a profile, and what a target gave. Private to
// judge.

#ifndef ASSAY_HARNESS_JUDGE_RUN_CERTIFY_COMPARE_H
#define ASSAY_HARNESS_JUDGE_RUN_CERTIFY_COMPARE_H

#include "harness/judge/run/certify.h"
#include "harness/judge/run/trial.h"

// The case as a request under `profile`. Memory is the arena's.
enum error judge_make_request(const struct suite *suite, const struct suite_case *of,
                              const struct named_profile *profile, struct arena *arena,
                              struct request *request, struct diagnostic *diagnostic);

// Compares every output of every run with the reference's under the default profile; keeps what
// differs, where there is room. `calls` are those of one unit of the trial.
enum error judge_compare_outputs(struct judge_run *run, struct trial *trial,
                                 const struct host_call *calls, struct diagnostic *diagnostic);

#endif
