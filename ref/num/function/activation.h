// SPDX-License-Identifier: Apache-2.0
// Activation functions of recurrent networks, by the names and formulas of ONNX: each one node, its
// exact value at an f32 rounded once to f32.

#ifndef ASSAY_REF_NUM_FUNCTION_ACTIVATION_H
#define ASSAY_REF_NUM_FUNCTION_ACTIVATION_H

#include <stddef.h>

#include "ref/num/function/interval.h"
#include "ref/num/path.h"

enum num_activation_kind {
    NUM_ACTIVATION_RELU,             // max(0, x); of a NaN a NaN
    NUM_ACTIVATION_TANH,             //
    NUM_ACTIVATION_SIGMOID,          // 1 / (1 + e^-x)
    NUM_ACTIVATION_AFFINE,           // alpha x + beta
    NUM_ACTIVATION_LEAKY_RELU,       // x >= 0 ? x : alpha x
    NUM_ACTIVATION_THRESHOLDED_RELU, // x >= alpha ? x : 0
    NUM_ACTIVATION_SCALED_TANH,      // alpha tanh(beta x)
    NUM_ACTIVATION_HARD_SIGMOID,     // min(max(alpha x + beta, 0), 1)
    NUM_ACTIVATION_ELU,              // x >= 0 ? x : alpha (e^x - 1)
    NUM_ACTIVATION_SOFTSIGN,         // x / (1 + |x|)
    NUM_ACTIVATION_SOFTPLUS,         // log(1 + e^x)
    NUM_ACTIVATION_COUNT
};

struct num_activation {
    enum num_activation_kind kind;
    float alpha, beta; // finite; of no meaning to functions without them
};

// `count` numbers; the arrays may be one and the same. Infinities and NaN as IEEE 754 has them in
// the order of the formula, but for log(1 + e^x), which is finite where x is. `path`: of functions
// that have a fast way; NULL in ordinary use.
void num_activation_array(const struct num_activation *function, const float *in, float *out,
                          size_t count, struct num_path *path);

// Encloses what the function, without any rounding, gives on `x`.
struct interval num_activation_range(const struct num_activation *function, struct interval x);

#endif
