// SPDX-License-Identifier: Apache-2.0
// A target driven one step of one layer at a time, each from the states that the reference reaches:
// errors cannot add up, and of a case that fails the first wrong layer, direction, time and gate is
// named.

#ifndef ASSAY_HARNESS_JUDGE_RUN_STEPWISE_H
#define ASSAY_HARNESS_JUDGE_RUN_STEPWISE_H

#include "harness/judge/run/run.h"

// judge_cases in the mode JUDGE_STEPWISE: one result for each case, of all of its steps. Cases that
// have no steps are judged whole. Of a failure, the result's case and outputs are those of its
// first wrong step. The options name no pool: each part's cases are fixed.
enum error judge_steps(const struct suite *suite, struct host *host,
                       const struct judge_options *options, struct judge_run *run,
                       struct diagnostic *diagnostic);

#endif
