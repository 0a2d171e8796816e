// SPDX-License-Identifier: Apache-2.0
// Range of ONNX, versions 11 and 27:
// https://github.com/onnx/onnx/blob/main/docs/Operators.md

#ifndef ASSAY_REF_OP_ONNX_RANGE_H
#define ASSAY_REF_OP_ONNX_RANGE_H

#include "ref/op/operation.h"

extern const struct operation onnx_range;

#endif
