// SPDX-License-Identifier: Apache-2.0
// Certification in parts: what was seen of the cases of a part, written down, and all parts as one
// run.
//
// A part knows its own cases; which profile explains most cases is a question to all of them. So a
// part holds what its cases did (verdict before any profile, outputs where they are not the
// default's), and the process that joins the parts chooses the profile.

#ifndef ASSAY_HARNESS_JUDGE_RUN_CERTIFY_SHARD_H
#define ASSAY_HARNESS_JUDGE_RUN_CERTIFY_SHARD_H

#include "harness/judge/run/run.h"

// What was opened, as its worker described it.
// True unless it was read and is none.
bool judge_code_description(const struct shard_codec *codec, struct host_description *description);

// The results of `run` that are of this part; it stays as it is.
void judge_put(struct shard_payload *payload, struct judge_run *run);

// Adds them to `run`, which has the mode that they were judged in, and in which judge_select has
// listed the cases. ERROR_INPUT where the payload of part `part` is not judge_put's, or holds a
// case that is there already.
enum error judge_take(struct shard_reader *reader, unsigned part, struct judge_run *run,
                      struct diagnostic *diagnostic);

// Once all parts are in: makes one result of the windows of each case that has windows. ERROR_INPUT
// when a case, or a window, was in none.
enum error judge_join_windows(struct judge_run *run, struct diagnostic *diagnostic);
enum error judge_make_whole(struct judge_run *run, struct diagnostic *diagnostic);

#endif
