// SPDX-License-Identifier: Apache-2.0
// One profile for all cases of a run: the allowed one that gives the bits of the most cases.

#ifndef ASSAY_HARNESS_JUDGE_RUN_CHOOSE_H
#define ASSAY_HARNESS_JUDGE_RUN_CHOOSE_H

#include "harness/judge/run/run.h"

// Sets the run's profile, to `profile` unless it is NULL, and judges by it all results, which were
// judged by the default one.
enum error choose_profile(struct judge_run *run, const struct named_profile *profile,
                          struct diagnostic *diagnostic);

#endif
