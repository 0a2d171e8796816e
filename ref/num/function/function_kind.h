// SPDX-License-Identifier: Apache-2.0
// The elementary functions by name.

#ifndef ASSAY_REF_NUM_FUNCTION_FUNCTION_KIND_H
#define ASSAY_REF_NUM_FUNCTION_FUNCTION_KIND_H

enum num_function {
    NUM_EXP,
    NUM_EXPM1,
    NUM_LOG, // log(-0) and log(0) are -inf
    NUM_LOG1P,
    NUM_TANH,
    NUM_LOGISTIC, // 1 / (1 + exp(-x))
    NUM_ERF_INV,  // at +-1: +-inf; beyond: NaN
    NUM_SIN,
    NUM_COS,
    NUM_ERF,
    // One node each, in the samplers:
    NUM_NORMAL_QUANTILE, // sqrt(2) * erf_inv(x), with the exact square root
    NUM_EXPONENTIAL,     // -log1p(-x)
    NUM_GUMBEL,          // -log(-log(x))
    NUM_GUMBEL_HIGH,     // -log(-log1p(-x))
    NUM_FUNCTION_COUNT
};

#endif
