// SPDX-License-Identifier: Apache-2.0
// Primitives, memories and reorders for one request.

#ifndef ASSAY_HARNESS_TARGETS_ONEDNN_INSTANCE_H
#define ASSAY_HARNESS_TARGETS_ONEDNN_INSTANCE_H

#include "harness/targets/onednn/operator_run.h"
#include "harness/targets/onednn/target.h"

struct assay_session {
    struct dnn_library library;
};

// A tensor of the primitives.
struct part {
    dnn plain;      // descriptor, with the strides of the request
    dnn asked;      // descriptor handed over when the forward primitive is described
    dnn asked_back; // the same for the backward one, where it differs; else NULL
    dnn memory;     // of `plain`
    dnn own;        // in the forward primitive's own format; NULL: `memory` serves
    dnn own_back;   // in the backward one's
    dnn to_own, to_own_back, from_own; // reorders; from_own: of what was written last
};

struct assay_instance {
    struct operator_run *operator; // of a declared operator, and nothing else is set; else NULL
    const struct dnn_library *library;
    struct rnn rnn;
    struct part part[RNN_SLOTS];
    dnn attributes, forward_descriptor, backward_descriptor, forward, backward, workspace;
};

// Makes an instance and asks the library for its primitive descriptors; the status is the
// library's. *instance is NULL only when memory ran out. Strides that the library has no primitive
// for are taken from bias and peepholes, then from weights, then from all tensors: dense copies
// serve.
int instance_describe(struct assay_session *session, const struct assay_request *request,
                      struct assay_instance **instance);

// The same, and makes primitives and memories.
int instance_make(struct assay_session *session, const struct assay_request *request,
                  struct assay_instance **instance);

// Whether the library gave the descriptors.
bool instance_described(const struct assay_instance *instance);

// Makes primitives and memories of what was described: a step of instance_make.
int instance_build(struct assay_instance *instance);

// Copies the inputs of a request into the memories, executes without waiting, and both with the
// outputs copied back.
int instance_load(struct assay_instance *instance, const struct assay_request *request);
int instance_execute(struct assay_instance *instance);
int instance_run(struct assay_instance *instance, const struct assay_request *request);

void instance_release(struct assay_instance *instance);

#endif
