// SPDX-License-Identifier: Apache-2.0
// The random operators of ONNX: RandomUniform, RandomNormal and their Like forms, versions 1 and
// 22, Bernoulli, 15 and 22, and Multinomial, 7 and 22:
// https://github.com/onnx/onnx/blob/main/docs/Operators.md
//
// The text names no generator, so their values are left to chance (ERROR_NONDETERMINISTIC, with
// type and shape of the output inferred) but where one value alone has a chance.

#ifndef ASSAY_REF_OP_ONNX_RANDOM_H
#define ASSAY_REF_OP_ONNX_RANDOM_H

#include "ref/op/operation.h"

extern const struct operation onnx_bernoulli, onnx_multinomial, onnx_random_normal,
    onnx_random_normal_like, onnx_random_uniform, onnx_random_uniform_like;

#endif
