# SPDX-License-Identifier: Apache-2.0
"""Gradients of declared operators by a library's automatic differentiation: the row of the operator
itself is run and differentiated, so that what it does not serve has no gradient either."""

from operators import FLOATS, NARROW, Row

OPERATORS = ("abs", "add", "average_pool", "conv", "cos", "div", "elu", "erf", "exp", "gelu",
             "gemm", "global_average_pool", "global_lp_pool", "global_max_pool", "hard_sigmoid",
             "hard_swish", "layer_normalization", "leaky_relu", "log", "log_softmax", "lp_pool",
             "mat_mul", "max_pool", "mish", "mul", "neg", "p_relu", "pow", "reciprocal", "relu",
             "rms_normalization", "selu", "shrink", "sigmoid", "sin", "softmax", "softplus",
             "softsign", "sqrt", "sub", "swish", "tanh", "thresholded_relu")

# Each comes beside the others.
BESIDE = dict.fromkeys(("dA", "dX", "dB", "dC", "dW", "dScale", "dscale", "dslope", "dY"), FLOATS)


def gradients(rows, differentiate, stepwise):
    """`differentiate(function, inputs, seed)` gives a gradient for each of `inputs`, a list;
    `stepwise`: operators of which it rounds each step of a gradient of 16 bits."""
    def of(row):
        def call(attributes, **inputs):
            names = list(inputs)[:-1]  # the last one is the gradient of the output

            def function(*leaves):
                found = row.call(attributes, **dict(zip(names, leaves)))
                return next(iter(found.values())) if isinstance(found, dict) else found
            found = differentiate(function, [inputs[name] for name in names],
                                  list(inputs.values())[-1])
            return {f"d{name}": one for name, one in zip(names, found)}
        return call

    found = {}
    for name in OPERATORS:
        row = rows.get(f"onnx.{name}")
        if row:
            found[f"gradient.{name}"] = Row(
                of(row), row.types & FLOATS, row.only,
                NARROW if name in stepwise else row.stepwise, BESIDE)
    return found
