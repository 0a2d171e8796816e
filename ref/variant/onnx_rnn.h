// SPDX-License-Identifier: Apache-2.0
// Wrong ways to read or write the tensors of ONNX's recurrent operators, and to write their
// equations.

#ifndef ASSAY_REF_VARIANT_ONNX_RNN_H
#define ASSAY_REF_VARIANT_ONNX_RNN_H

#include "ref/variant/lens.h"

extern const struct lens_family onnx_rnn_lenses, onnx_gru_lenses, onnx_lstm_lenses;

#endif
