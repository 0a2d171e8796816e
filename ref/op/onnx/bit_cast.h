// SPDX-License-Identifier: Apache-2.0
// BitCast of ONNX, version 26:
// https://github.com/onnx/onnx/blob/main/docs/Operators.md

#ifndef ASSAY_REF_OP_ONNX_BIT_CAST_H
#define ASSAY_REF_OP_ONNX_BIT_CAST_H

#include "ref/op/operation.h"

extern const struct operation onnx_bit_cast;

#endif
