# SPDX-License-Identifier: Apache-2.0
"""The declared operators that NumPy has: products, sums and logaddexp, which is softplus."""

import numpy
from assay.target import DTYPES
from casts import ONNX_TYPES, USUAL, bits_of
from operators import INTEGERS, Operators, Row, sums_as_written


def reduce_sum(attributes, data, axes=None):
    if axes is None or axes.size == 0:
        if attributes.noop_with_empty_axes:
            return data
        axes = None
    else:
        axes = tuple(int(axis) for axis in axes)
    return numpy.sum(data, axis=axes, dtype=data.dtype, keepdims=bool(attributes.keepdims))


OWN = USUAL - {"bf16"}
NUMPY = Operators("NumPy", {
    "onnx.mat_mul": Row(lambda _, A, B: numpy.matmul(A, B), {"f16", "f32", "f64"}),
    "onnx.reduce_sum": Row(reduce_sum, {"f32", "f64"} | INTEGERS),
    "onnx.cum_sum": Row(
        lambda _, x, axis: numpy.cumsum(x, axis=int(axis), dtype=x.dtype),
        {"f32", "f64"} | INTEGERS, sums_as_written),
    "onnx.bit_cast": Row(lambda a, input: input.view(DTYPES[ONNX_TYPES[a.to]]), OWN, bits_of(OWN)),
    "onnx.softplus": Row(lambda _, X: numpy.logaddexp(X, X.dtype.type(0)), {"f16", "f32", "f64"}),
}, take=lambda array: array, give=numpy.asarray,
    refusals=(ValueError, TypeError, numpy.exceptions.AxisError))
