// SPDX-License-Identifier: Apache-2.0
// The declared operators that oneDNN has as one primitive: products, softmax, normalisation over
// the last axis, elementwise functions and sums.

#ifndef ASSAY_HARNESS_TARGETS_ONEDNN_OPERATOR_H
#define ASSAY_HARNESS_TARGETS_ONEDNN_OPERATOR_H

#include "harness/targets/onednn/rnn.h"

enum operator_slot {
    OPERATOR_SRC,
    OPERATOR_WEIGHTS,
    OPERATOR_DST,
    OPERATOR_SCALE,
    OPERATOR_SHIFT,
    OPERATOR_SLOTS
};

enum operator_kind {
    OPERATOR_PRODUCT,
    OPERATOR_SOFTMAX,
    OPERATOR_LOG_SOFTMAX,
    OPERATOR_LAYER_NORMALIZATION,
    OPERATOR_RMS_NORMALIZATION,
    OPERATOR_GELU_ERF,
    OPERATOR_GELU_TANH,
    OPERATOR_SOFTPLUS,
    OPERATOR_HARD_SIGMOID,
    OPERATOR_SUM
};

struct dnn_operator {
    enum operator_kind kind;
    float alpha, beta, epsilon;
    int axis;
    struct rnn_tensor tensor[OPERATOR_SLOTS];
    const char *name[OPERATOR_SLOTS]; // in the request; static
};

// Whether the request is of such an operator.
bool dnn_operator_is(const char *operation);

// Reads a request; NULL, or what of it no primitive has a place for.
const char *dnn_operator_read(const struct assay_request *request, struct dnn_operator *to);

// The argument's number in an execution.
int dnn_operator_argument(unsigned slot);

#endif
