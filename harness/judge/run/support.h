// SPDX-License-Identifier: Apache-2.0
// Which cases a target supports, asked before the first is run.

#ifndef ASSAY_HARNESS_JUDGE_RUN_SUPPORT_H
#define ASSAY_HARNESS_JUDGE_RUN_SUPPORT_H

#include "harness/judge/run/run.h"

// Sets each result's verdict: VERDICT_PASS where the case is to be run; its level, size, and
// whether its outputs are kept. The processes of a pool each ask about some cases and learn the
// rest from the others; of steps, a part asks about its own alone.
enum error support_ask(struct judge_run *run, struct host *host,
                       const struct judge_options *options, struct diagnostic *diagnostic);

#endif
