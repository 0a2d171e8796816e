# SPDX-License-Identifier: Apache-2.0
"""jax.numpy's elementwise operators and reductions, jax.nn's activations and jax.lax's windows
under ONNX's names."""

import jax
import jax.numpy as jnp
import numpy
from elementwise import (BOOL, axes_of, elementwise, first_index, has_elements, reduces,
                         scalar_ends)
from operators import FLOATS, INTEGERS, NARROW, SMALL_INTEGERS, Row, as_f32

WHOLE = INTEGERS | SMALL_INTEGERS


def div(a, b):
    """Truncated for whole numbers, as jax.lax has it."""
    return jax.lax.div(*jnp.broadcast_arrays(a, b))


def usual_selu(attributes, _shapes, types):
    if types["X"] == "f64":
        return "the coefficients of f64 have more digits than ONNX's"
    if abs(attributes.alpha - as_f32(1.6732632)) > 2.0**-22 or (
            abs(attributes.gamma - as_f32(1.0507010)) > 2.0**-22):
        return "SELU has its usual coefficients"
    return None


def silu(attributes, _shapes, _types):
    return None if attributes.alpha in (None, 1) else "SiLU has no coefficient"


def over(function):
    """A reduction over axes that are given as a tuple."""
    def call(a, data, axes=None):
        return function(data, axis=axes_of(axes, data.ndim), keepdims=bool(a.keepdims))
    return call


def index_of(function):
    return lambda a, data: numpy.asarray(
        function(data, axis=a.axis, keepdims=bool(a.keepdims))).astype(numpy.int64)


def padding(attributes, rank):
    pads = attributes.pads or [0] * (2 * rank)
    if attributes.auto_pad in (None, "NOTSET"):
        return list(zip(pads[:rank], pads[rank:]))
    return attributes.auto_pad.replace("SAME_UPPER", "SAME")


def convolves(attributes, shapes, _types):
    if attributes.kernel_shape and tuple(attributes.kernel_shape) != shapes["W"][2:]:
        return "a kernel has the shape of W"
    return None


def conv(a, X, W, B=None):
    rank = W.ndim - 2
    y = jax.lax.conv_general_dilated(
        X, W, a.strides or [1] * rank, padding(a, rank), rhs_dilation=a.dilations,
        feature_group_count=a.group)
    return y if B is None else y + B.reshape(-1, *[1] * rank)


def pools(attributes, _shapes, _types):
    return "windows end in the padding" if attributes.ceil_mode else None


def max_pool(a, X):
    rank = len(a.kernel_shape)
    least = -jnp.inf if jnp.issubdtype(X.dtype, jnp.floating) else jnp.iinfo(X.dtype).min
    pads = padding(a, rank)
    return jax.lax.reduce_window(
        X, numpy.asarray(least, X.dtype), jax.lax.max, (1, 1, *a.kernel_shape),
        (1, 1, *(a.strides or [1] * rank)), pads if isinstance(pads, str) else
        [(0, 0), (0, 0), *pads], window_dilation=(1, 1, *(a.dilations or [1] * rank)))


def global_pool(function):
    return lambda _, X: function(X, axis=tuple(range(2, X.ndim)), keepdims=True)


def of_windows(_attributes, shapes, _types):
    return None if len(shapes["X"]) > 2 else "axes beside batch and channels"


ACTIVATIONS = {
    "onnx.erf": Row(lambda _, input: jax.lax.erf(input)),
    "onnx.softsign": Row(lambda _, input: jax.nn.soft_sign(input), stepwise=NARROW),
    "onnx.sigmoid": Row(lambda _, X: jax.nn.sigmoid(X), stepwise={"f16"}),
    "onnx.relu": Row(lambda _, X: jax.nn.relu(X), FLOATS | {"i8", "i16", "i32", "i64"}),
    "onnx.leaky_relu": Row(lambda a, X: jax.nn.leaky_relu(X, a.alpha), stepwise=NARROW),
    "onnx.elu": Row(lambda a, X: jax.nn.elu(X, a.alpha), stepwise=NARROW),
    "onnx.selu": Row(lambda _, X: jax.nn.selu(X), only=usual_selu, stepwise=NARROW),
    "onnx.celu": Row(lambda a, X: jax.nn.celu(X, a.alpha), stepwise=NARROW),
    "onnx.hard_swish": Row(lambda _, X: jax.nn.hard_swish(X), stepwise=NARROW),
    "onnx.swish": Row(lambda _, X: jax.nn.silu(X), only=silu, stepwise=NARROW),
    "onnx.mish": Row(lambda _, X: jax.nn.mish(X), stepwise=NARROW),
}
REDUCTIONS = {
    "onnx.reduce_max": Row(over(jnp.max), FLOATS | WHOLE | BOOL, has_elements),
    "onnx.reduce_min": Row(over(jnp.min), FLOATS | WHOLE | BOOL, has_elements),
    "onnx.reduce_mean": Row(over(jnp.mean), only=reduces, stepwise=NARROW),
    "onnx.reduce_prod": Row(over(lambda x, **way: jnp.prod(x, dtype=x.dtype, **way)),
                            FLOATS | WHOLE, reduces, stepwise=NARROW),
    "onnx.reduce_log_sum_exp": Row(over(jax.nn.logsumexp), only=reduces, stepwise=NARROW),
    "onnx.arg_max": Row(index_of(jnp.argmax), FLOATS | WHOLE, first_index),
    "onnx.arg_min": Row(index_of(jnp.argmin), FLOATS | WHOLE, first_index),
}
WINDOWS = {
    "onnx.conv": Row(conv, only=convolves, stepwise=NARROW),
    "onnx.max_pool": Row(max_pool, FLOATS | {"i8", "u8"}, pools),
    "onnx.global_average_pool": Row(global_pool(jnp.mean), only=of_windows, stepwise=NARROW),
    "onnx.global_max_pool": Row(global_pool(jnp.max), only=of_windows),
}
ROWS = elementwise(jnp, WHOLE, div, jnp.equal, stepwise=NARROW) | ACTIVATIONS | REDUCTIONS | (
    WINDOWS | {"onnx.clip": Row(lambda _, input, min=None, max=None: jnp.clip(input, min, max),
                                FLOATS | WHOLE, scalar_ends)})
