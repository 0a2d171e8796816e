// SPDX-License-Identifier: Apache-2.0
// What a target does instead, where it fails: the smallest profile that reproduces its bits.

#ifndef ASSAY_HARNESS_JUDGE_SEARCH_EXPLAIN_H
#define ASSAY_HARNESS_JUDGE_SEARCH_EXPLAIN_H

#include "harness/judge/run/run.h"

// Searches the choices of the suite over all failing cases at once, one option changed, and fills
// the results' explanations. What fits only as many bits as a chance fit would is no explanation.
// For judge_options.explain.
enum error judge_explain(struct judge_run *run, struct diagnostic *diagnostic);

// The same, and where nothing was found two options changed.
enum error judge_explain_pairs(struct judge_run *run, struct diagnostic *diagnostic);

#endif
