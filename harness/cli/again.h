// SPDX-License-Identifier: Apache-2.0
// Certifying again: for `verify`, which runs single cases, and for `report`, which signs only what
// a new run gives.

#ifndef ASSAY_HARNESS_CLI_AGAIN_H
#define ASSAY_HARNESS_CLI_AGAIN_H

#include "ref/base/error.h"

struct results;

// How the command line names a target that is not one of assay's own; each may be NULL.
struct again_target {
    const char *plugin, *program;
    const char *recorded; // a folder of answers that were recorded
};

// Runs `assay certify --quiet` in a process of its own, with the target (`named`: as it is called
// where nothing else names it) and `more` arguments, NULL-terminated, and prints nothing: its exit
// code, -1 where it was killed.
int again_certify(const struct again_target *target, const char *named, const char *const *more);

// Certifies all targets of the results, which are of one file, over all of their suites.
// ERROR_INVALID_ARGUMENT where the run does not give that very file.
enum error again_results(const struct results *results, const struct again_target *target,
                         struct diagnostic *diagnostic);

#endif
