// SPDX-License-Identifier: Apache-2.0
// The recurrent operators of ONNX, versions 7, 14 and 22:
// https://github.com/onnx/onnx/blob/main/docs/Operators.md

#ifndef ASSAY_REF_OP_ONNX_RNN_H
#define ASSAY_REF_OP_ONNX_RNN_H

#include "ref/op/operation.h"

extern const struct operation onnx_rnn, onnx_gru, onnx_lstm;

enum onnx_rnn_attribute {
    ONNX_RNN_DIRECTION,
    ONNX_RNN_HIDDEN_SIZE,
    ONNX_RNN_ACTIVATIONS, // words are numbered as enum num_activation_kind
    ONNX_RNN_ALPHA,
    ONNX_RNN_BETA,
    ONNX_RNN_CLIP,
    ONNX_RNN_LAYOUT,
    ONNX_RNN_OPSET,
    ONNX_RNN_OWN, // linear_before_reset of gru, input_forget of lstm
};

enum onnx_rnn_direction { ONNX_RNN_FORWARD, ONNX_RNN_REVERSE, ONNX_RNN_BIDIRECTIONAL };

enum onnx_rnn_input {
    ONNX_RNN_X,
    ONNX_RNN_W,
    ONNX_RNN_R,
    ONNX_RNN_B,
    ONNX_RNN_SEQUENCE_LENS,
    ONNX_RNN_INITIAL_H,
    ONNX_RNN_INITIAL_C, // of lstm, and
    ONNX_RNN_P
};

enum onnx_rnn_output { ONNX_RNN_Y, ONNX_RNN_Y_H, ONNX_RNN_Y_C };

// What the text leaves open, and ways to go wrong. All three operators number them so; the last two
// are not rnn's, and the very last is lstm's alone.
enum onnx_rnn_choice {
    ONNX_RNN_BEYOND_LENGTH,
    ONNX_RNN_NO_STEPS,
    ONNX_RNN_PARAMETERS,
    ONNX_RNN_FUNCTIONS,
    ONNX_RNN_CLIPPING,
    ONNX_RNN_COUPLING
};

// T, N, D, I, H, gates of a request, and how many activations a direction has.
struct onnx_rnn_sizes {
    size_t times, batch, directions, inputs, hidden, gates, functions;
};
struct onnx_rnn_sizes onnx_rnn_sizes_of(const struct request *request);

#endif
