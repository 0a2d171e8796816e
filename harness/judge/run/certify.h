// SPDX-License-Identifier: Apache-2.0
// Certification of one target over one suite.
//
// Support is asked for every case before the first is run. Each case is run under several
// conditions; what answered always with the same bits is compared with the reference under one
// allowed profile, the same for the whole suite: the one that explains most.

#ifndef ASSAY_HARNESS_JUDGE_RUN_CERTIFY_H
#define ASSAY_HARNESS_JUDGE_RUN_CERTIFY_H

#include "harness/judge/run/run.h"

// Judges every case whose id matches. ERROR_INVALID_ARGUMENT when none does. Release the run also
// after an error.
enum error judge_certify(const struct suite *suite, struct host *host,
                         const struct judge_options *options, struct judge_run *run,
                         struct diagnostic *diagnostic);

// The same of a suite of one case. That the harness could not run it is an error here, since what
// is asked is what the target does.
enum error judge_certify_one(const struct suite *suite, struct host *host,
                             const struct judge_options *options, struct judge_run *run,
                             struct diagnostic *diagnostic);

// What judge_certify does once all cases were run: chooses the profile, and explains what fails.
enum error judge_conclude(struct judge_run *run, const struct judge_options *options,
                          struct diagnostic *diagnostic);

#endif
