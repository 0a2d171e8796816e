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

// Sets the run's model to what its description declares; the standard one where it is silent.
enum error judge_read_model(struct judge_run *run, struct diagnostic *diagnostic);

#endif
