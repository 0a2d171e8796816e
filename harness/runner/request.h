// SPDX-License-Identifier: Apache-2.0
// A line of exported requests as a call of a plugin.

#ifndef ASSAY_HARNESS_RUNNER_REQUEST_H
#define ASSAY_HARNESS_RUNNER_REQUEST_H

#include "harness/host/record/record.h"

struct runner_request {
    const char *of;              // "SUITE/CASE"
    struct host_request host;    // as it is recorded; data native, outputs without
    struct assay_request asked;  // as the plugin gets it, without data
    struct assay_tensor *tensor; // inputs, then outputs: the arrays of `asked`
    unsigned runs;
    bool stateful;
};

// Reads a line; memory is the arena's, inputs are copies. ERROR_INPUT for what is none, and where
// its digest is not the one of what was read.
enum error runner_take_request(const struct form *form, const struct document_source *line,
                               struct arena *arena, struct runner_request *request,
                               struct diagnostic *diagnostic);

#endif
