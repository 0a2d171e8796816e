// SPDX-License-Identifier: Apache-2.0
// A certification as a person reads it at a glance.

#ifndef ASSAY_HARNESS_CLI_SUMMARY_H
#define ASSAY_HARNESS_CLI_SUMMARY_H

#include <stdio.h>

#include "harness/judge/run/certify.h"

// One block for a target and a suite: verdicts, requirements that are not met, and the first `most`
// failures in full.
void summary_print_run(FILE *stream, const char *target, const struct judge_run *run, size_t most,
                       bool all_requirements, bool colour);

// A failing case in full: conditions, first differing element, expected and got, explanation,
// command.
void summary_print_result(FILE *stream, const char *target, const struct judge_run *run,
                          const struct judge_result *result, bool colour);

// Of that the part that says how it differs: why, where, which values, and what explains them.
void summary_print_difference(FILE *stream, const struct judge_run *run,
                              const struct judge_result *result);

// The options by which the explanation of a result differs from the default profile, and the end
// of the line.
void summary_print_options(FILE *stream, const struct judge_result *result);

#endif
