# SPDX-License-Identifier: Apache-2.0
"""PyTorch's elementwise operators, activations and reductions under ONNX's names."""

import torch
from elementwise import (BOOL, axes_of, elementwise, first_index, has_elements, one_axis_or_all,
                         reduces, scalar_ends)
from operators import FLOATS, NARROW, Row, as_f32

functional = torch.nn.functional
# Of unsigned numbers wider than 8 bits it has hardly an operation.
WHOLE = frozenset({"u8", "i8", "i16", "i32", "i64"})
SELU = {"alpha": as_f32(1.6732632423543772), "gamma": as_f32(1.0507009873554805)}


def div(a, b):
    return torch.div(a, b, rounding_mode=None if a.is_floating_point() else "trunc")


def usual_selu(attributes, _shapes, types):
    if types["X"] == "f64":
        return "the coefficients of f64 have more digits than ONNX's"
    if any(abs(getattr(attributes, k) - v) > 2.0**-22 for k, v in SELU.items()):
        return "SELU has its usual coefficients"
    return None


def sigmoid_of_x(attributes, _shapes, _types):
    return None if attributes.alpha in (None, 1) else "SiLU has no coefficient"


def gate_of_one_shape(attributes, shapes, types):
    if shapes["A"] != shapes["B"]:
        return "tensors are broadcast to each other"
    return sigmoid_of_x(attributes, shapes, types)


def shrinks(attributes, _shapes, _types):
    if attributes.bias and attributes.bias != attributes.lambd:
        return "hardshrink has no bias, softshrink that of its threshold"
    return None


def slopes_of_channels(_attributes, shapes, _types):
    x, slope = shapes["X"], shapes["slope"]
    aligned = (1,) * (len(x) - len(slope)) + slope
    if any(n != 1 and axis != 1 for axis, n in enumerate(aligned)):
        return "a slope for all or for each channel"
    return None


def clip(_, input, min=None, max=None):
    return torch.clamp(input, min, max)


def one_end(attributes, shapes, types):
    if "min" not in shapes and "max" not in shapes:
        return "clamp has an end"
    return scalar_ends(attributes, shapes, types)


def over(function):
    """A reduction over axes that are given as a list."""
    def call(a, data, axes=None):
        return function(data, list(axes_of(axes, data.dim())), bool(a.keepdims))
    return call


def product(a, data, axes=None):
    if axes is not None and len(axes) == 1 and data.dim():
        return torch.prod(data, int(axes[0]), bool(a.keepdims), dtype=data.dtype)
    found = torch.prod(data, dtype=data.dtype)
    return found.reshape((1,) * data.dim()) if a.keepdims else found


def index_of(function):
    return lambda a, data: function(data, a.axis, bool(a.keepdims))


ACTIVATIONS = {
    "onnx.erf": Row(lambda _, input: torch.erf(input)),
    "onnx.softsign": Row(lambda _, input: functional.softsign(input), stepwise=NARROW),
    "onnx.shrink": Row(lambda a, input: (functional.softshrink if a.bias else
                                         functional.hardshrink)(input, a.lambd), only=shrinks),
    "onnx.sigmoid": Row(lambda _, X: torch.sigmoid(X)),
    "onnx.relu": Row(lambda _, X: functional.relu(X), FLOATS | WHOLE),
    "onnx.leaky_relu": Row(lambda a, X: functional.leaky_relu(X, a.alpha)),
    "onnx.elu": Row(lambda a, X: functional.elu(X, a.alpha)),
    "onnx.selu": Row(lambda _, X: functional.selu(X), only=usual_selu),
    "onnx.celu": Row(lambda a, X: functional.celu(X, a.alpha)),
    "onnx.thresholded_relu": Row(lambda a, X: functional.threshold(X, a.alpha, 0)),
    "onnx.hard_swish": Row(lambda _, X: functional.hardswish(X)),
    "onnx.swish": Row(lambda _, X: functional.silu(X), only=sigmoid_of_x),
    "onnx.swiglu": Row(lambda _, A, B: functional.silu(A) * B, only=gate_of_one_shape,
                       stepwise=NARROW),
    "onnx.mish": Row(lambda _, X: functional.mish(X)),
    "onnx.p_relu": Row(lambda _, X, slope: functional.prelu(X, slope.reshape(-1)),
                       only=slopes_of_channels),
}
REDUCTIONS = {
    "onnx.reduce_max": Row(over(torch.amax), FLOATS | WHOLE | BOOL, has_elements),
    "onnx.reduce_min": Row(over(torch.amin), FLOATS | WHOLE | BOOL, has_elements),
    "onnx.reduce_mean": Row(over(torch.mean), only=reduces),
    "onnx.reduce_prod": Row(product, FLOATS | WHOLE, one_axis_or_all),
    "onnx.reduce_l1": Row(over(lambda x, *way: torch.linalg.vector_norm(x, 1, *way)),
                          only=reduces),
    "onnx.reduce_l2": Row(over(lambda x, *way: torch.linalg.vector_norm(x, 2, *way)),
                          only=reduces),
    "onnx.reduce_log_sum": Row(over(lambda x, *way: torch.log(torch.sum(x, *way))), only=reduces,
                               stepwise=NARROW),
    "onnx.reduce_sum_square": Row(over(lambda x, *way: torch.sum(torch.square(x), *way,
                                                                 dtype=x.dtype)),
                                  FLOATS | WHOLE, reduces, stepwise=NARROW),
    "onnx.reduce_log_sum_exp": Row(over(torch.logsumexp), only=reduces, stepwise=NARROW),
    "onnx.arg_max": Row(index_of(torch.argmax), FLOATS | WHOLE, first_index),
    "onnx.arg_min": Row(index_of(torch.argmin), FLOATS | WHOLE, first_index),
    "onnx.lp_normalization": Row(
        lambda a, input: functional.normalize(input, a.p, a.axis), stepwise=NARROW),
}
ROWS = elementwise(torch, WHOLE, div, torch.eq) | ACTIVATIONS | REDUCTIONS | {
    "onnx.clip": Row(clip, FLOATS | WHOLE, one_end),
}
