# SPDX-License-Identifier: Apache-2.0
"""jax.numpy's elementwise operators and reductions and jax.nn's activations under ONNX's names."""

import functools

import jax
import jax.numpy as jnp
import numpy
from elementwise import (BOOL, axes_of, elementwise, first_index, has_elements, reduces,
                         scalar_ends)
from operators import (FLOATS, INTEGERS, NARROW, SMALL_INTEGERS, Row, as_f32, one_axis,
                       shaped_like, softmax_axis)

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


def gate_of_one_shape(attributes, shapes, types):
    if shapes["A"] != shapes["B"]:
        return "arrays are broadcast to each other"
    return silu(attributes, shapes, types)


def over(function):
    """A reduction over axes that are given as a tuple."""
    def call(a, data, axes=None):
        return function(data, axis=axes_of(axes, data.ndim), keepdims=bool(a.keepdims))
    return call


def index_of(function):
    return lambda a, data: numpy.asarray(
        function(data, axis=a.axis, keepdims=bool(a.keepdims))).astype(numpy.int64)


def hardmax(a, input):
    axis = softmax_axis(a)
    return jax.nn.one_hot(jnp.argmax(input, axis=axis), input.shape[axis], dtype=input.dtype,
                          axis=axis)


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
    "onnx.thresholded_relu": Row(lambda a, X: jnp.where(X > a.alpha, X, 0), stepwise=NARROW),
    "onnx.p_relu": Row(lambda _, X, slope: jax.nn.leaky_relu(X, slope),
                       only=shaped_like("X", "slope")),
    "onnx.swiglu": Row(lambda _, A, B: jax.nn.silu(A) * B, only=gate_of_one_shape, stepwise=NARROW),
}
REDUCTIONS = {
    "onnx.reduce_max": Row(over(jnp.max), FLOATS | WHOLE | BOOL, has_elements),
    "onnx.reduce_min": Row(over(jnp.min), FLOATS | WHOLE | BOOL, has_elements),
    "onnx.reduce_mean": Row(over(jnp.mean), only=reduces, stepwise=NARROW),
    "onnx.reduce_prod": Row(over(lambda x, **way: jnp.prod(x, dtype=x.dtype, **way)),
                            FLOATS | WHOLE, reduces, stepwise=NARROW),
    "onnx.reduce_l1": Row(over(functools.partial(jnp.linalg.vector_norm, ord=1)), only=reduces,
                          stepwise=NARROW),
    "onnx.reduce_l2": Row(over(functools.partial(jnp.linalg.vector_norm, ord=2)), only=reduces,
                          stepwise=NARROW),
    "onnx.reduce_log_sum": Row(over(lambda x, **way: jnp.log(jnp.sum(x, **way))), only=reduces,
                               stepwise=NARROW),
    "onnx.reduce_sum_square": Row(over(lambda x, **way: jnp.sum(jnp.square(x), dtype=x.dtype,
                                                                **way)),
                                  FLOATS | WHOLE, reduces, stepwise=NARROW),
    "onnx.reduce_log_sum_exp": Row(over(jax.nn.logsumexp), only=reduces, stepwise=NARROW),
    "onnx.hardmax": Row(hardmax, only=one_axis),
    "onnx.arg_max": Row(index_of(jnp.argmax), FLOATS | WHOLE, first_index),
    "onnx.arg_min": Row(index_of(jnp.argmin), FLOATS | WHOLE, first_index),
}
ROWS = elementwise(jnp, WHOLE, div, jnp.equal, stepwise=NARROW) | ACTIVATIONS | REDUCTIONS | {
    "onnx.clip": Row(lambda _, input, min=None, max=None: jnp.clip(input, min, max),
                     FLOATS | WHOLE, scalar_ends)}
