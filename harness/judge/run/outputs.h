// SPDX-License-Identifier: Apache-2.0
// What a target gave, held against the reference under the default profile.

#ifndef ASSAY_HARNESS_JUDGE_RUN_OUTPUTS_H
#define ASSAY_HARNESS_JUDGE_RUN_OUTPUTS_H

#include "harness/judge/run/run.h"
#include "harness/judge/run/trial.h"

// Compares every output of every run with the reference's, sets the result's verdict, and keeps
// what differs, where there is room. `calls` are those of one unit of the trial; all were answered.
enum error judge_outputs(struct judge_run *run, struct trial *trial, const struct host_call *calls,
                         struct diagnostic *diagnostic);

// Keeps what the trial received in another dtype or shape than was asked for, and says in the
// result's reason what it holds and what the reference gives.
enum error judge_received(struct judge_run *run, struct trial *trial,
                          struct diagnostic *diagnostic);

// The same of a trial that was reshaped and fails.
enum error judge_reshaped(struct judge_run *run, struct trial *trial,
                          struct diagnostic *diagnostic);

#endif
