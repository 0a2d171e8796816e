// SPDX-License-Identifier: Apache-2.0
// The cells of ONNX as tables of equations, in ONNX's order of gates.

#ifndef ASSAY_REF_OP_ONNX_RNN_CELL_H
#define ASSAY_REF_OP_ONNX_RNN_CELL_H

#include "ref/op/onednn/rnn_cell.h"

extern const struct rnn_cell onnx_cell_rnn, onnx_cell_gru, onnx_cell_lbr_gru, onnx_cell_lstm;

// The table of the request's cell.
const struct rnn_cell *onnx_cell_of(const struct request *request);

#endif
