// SPDX-License-Identifier: Apache-2.0
// A case that holds two requests against each other: what its own request gives under all
// conditions is judged like any other but for its values; then the other requests are made, each of
// which may take what the one before gave.

#ifndef ASSAY_HARNESS_JUDGE_RUN_RELATE_H
#define ASSAY_HARNESS_JUDGE_RUN_RELATE_H

#include "harness/judge/run/run.h"
#include "harness/judge/run/trial.h"

// Asks whether the target supports the other requests too. *verdict stays where it does.
enum error relate_ask(const struct judge_run *run, struct host *host, struct trial *trial,
                      enum verdict *verdict, const char **reason, struct diagnostic *diagnostic);

// Makes the other requests under the conditions of `first`, an answered call of the case, and keeps
// their answers with the trial.
enum error relate_run(const struct judge_run *run, struct host *host, struct trial *trial,
                      const struct host_call *first, struct diagnostic *diagnostic);

// Holds the answers against each other: by bits, or where bounds are wanted each side against the
// bounds of what they have in common. Sets the verdict of the trial's result.
enum error relate_judge(struct judge_run *run, struct trial *trial, const struct host_call *first,
                        struct diagnostic *diagnostic);

// Whether the case's own answer is still to be held against the reference, as that of any case:
// where bits are wanted and the answers agree, so that what is said of one holds of both.
bool relate_is_valued(const struct trial *trial);

#endif
