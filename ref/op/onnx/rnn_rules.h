// SPDX-License-Identifier: Apache-2.0
// The rules of ONNX's recurrent operators, and what its attributes ask for, as a frame around the
// engine of onednn.rnn.

#ifndef ASSAY_REF_OP_ONNX_RNN_RULES_H
#define ASSAY_REF_OP_ONNX_RNN_RULES_H

#include "ref/op/onednn/rnn_problem.h"

// Refuses a request that breaks a rule: of shapes, types, attributes, and of lengths where they
// have data.
enum error onnx_rnn_check(const struct request *request, struct diagnostic *diagnostic);

// The frame of a request that broke none; its lengths are those of the request.
void onnx_rnn_frame_of(const struct request *request, struct rnn_frame *frame);

#endif
