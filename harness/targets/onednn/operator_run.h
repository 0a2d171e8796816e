// SPDX-License-Identifier: Apache-2.0
// A primitive of one operator, its memories, and its execution.

#ifndef ASSAY_HARNESS_TARGETS_ONEDNN_OPERATOR_RUN_H
#define ASSAY_HARNESS_TARGETS_ONEDNN_OPERATOR_RUN_H

#include "harness/targets/onednn/library.h"
#include "harness/targets/onednn/operator.h"

struct operator_run {
    const struct dnn_library *library;
    struct dnn_operator operator;
    dnn md[OPERATOR_SLOTS], memory[OPERATOR_SLOTS];
    dnn descriptor, primitive;
};

// Asks for a primitive descriptor; with `build` the primitive and its memories are made too. The
// status is the library's. *run is NULL only when memory ran out.
int dnn_operator_make(const struct dnn_library *library, const struct dnn_operator *operator,
                      bool build, struct operator_run **run);
int dnn_operator_execute(struct operator_run *run, const struct assay_request *request);
void dnn_operator_release(struct operator_run *run);

#endif
