// SPDX-License-Identifier: Apache-2.0
// What a target answered under each of the conditions of a case that fails: known failures are held
// to their explanation answer by answer, as some depend on how inputs are fed or on threads.

#ifndef ASSAY_HARNESS_JUDGE_RUN_ANSWERS_H
#define ASSAY_HARNESS_JUDGE_RUN_ANSWERS_H

#include "harness/judge/run/run.h"
#include "harness/judge/run/trial.h"

// Keeps the answers of a judged trial, one for each of its units, where it fails with them and
// there is room for outputs; else notes how inputs were fed alone. `calls` are those of pass 0
// and 1.
enum error answers_keep(struct judge_run *run, const struct trial *trial,
                        struct host_call *const *calls, struct diagnostic *diagnostic);

// Of what the runs of one unit gave: equal where no output differs, in the sense of
// compare_first_difference.
uint64_t answers_hash(const struct trial *trial, const struct host_call *calls);

#endif
