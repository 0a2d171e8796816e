// SPDX-License-Identifier: Apache-2.0
#include "ref/variant/onnx_range.h"

#include "ref/op/onnx/range.h"
#include "ref/variant/onnx_bf16.h"

static const struct lens lenses[] = {ONNX_BF16_LENS};

const struct lens_family onnx_range_lenses = {
    .operation = &onnx_range, .lens = lenses, .count = OPERATION_ROWS(lenses)};
