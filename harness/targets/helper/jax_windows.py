# SPDX-License-Identifier: Apache-2.0
"""What of JAX looks at windows and channels: convolution, pooling, normalization. jax.nn has one
function that normalizes, standardize; scale and shift beside it are the caller's."""

import jax
import jax.numpy as jnp
import numpy
from operators import FLOATS, NARROW, Row, normalizes_whole_axes, shape_of


def padding(attributes, rank):
    pads = attributes.pads or [0] * (2 * rank)
    if attributes.auto_pad in (None, "NOTSET"):
        return list(zip(pads[:rank], pads[rank:]))
    return attributes.auto_pad.replace("SAME_UPPER", "SAME")


def convolves(attributes, shapes, _types):
    kernel = shape_of(shapes, "W")[2:]
    if attributes.kernel_shape and tuple(attributes.kernel_shape) != kernel:
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


def over_windows(a, X, start, combine):
    rank = len(a.kernel_shape)
    pads = padding(a, rank)
    return jax.lax.reduce_window(
        X, numpy.asarray(start, X.dtype), combine, (1, 1, *a.kernel_shape),
        (1, 1, *(a.strides or [1] * rank)), pads if isinstance(pads, str) else
        [(0, 0), (0, 0), *pads], window_dilation=(1, 1, *(a.dilations or [1] * rank)))


def max_pool(a, X):
    least = -jnp.inf if jnp.issubdtype(X.dtype, jnp.floating) else jnp.iinfo(X.dtype).min
    return over_windows(a, X, least, jax.lax.max)


def average_pool(a, X):
    sums = over_windows(a, X, 0, jax.lax.add)
    if a.count_include_pad:
        return sums / numpy.asarray(numpy.prod(a.kernel_shape), X.dtype)
    return sums / over_windows(a, jnp.ones_like(X), 0, jax.lax.add)


def global_pool(function):
    return lambda _, X: function(X, axis=tuple(range(2, X.ndim)), keepdims=True)


def global_lp_pool(a, X):
    return jnp.linalg.vector_norm(X, axis=tuple(range(2, X.ndim)), keepdims=True, ord=a.p)


def of_windows(_attributes, shapes, _types):
    return None if len(shapes["X"]) > 2 else "axes beside batch and channels"


def of_channels(each, x):
    return jnp.asarray(each).reshape(-1, *[1] * (x.ndim - 2))


def not_trained(attributes, _shapes, types):
    if attributes.training_mode:
        return "no statistics that run along"
    return of_one_type(attributes, _shapes, types)


def of_one_type(_attributes, _shapes, types):
    return None if len(set(types.values())) == 1 else "all inputs have one type"


def in_its_type(attributes, shapes, types):
    stash = attributes.stash_type or 1
    if {1: "f32", "f32": "f32", 11: "f64", "f64": "f64"}.get(stash) != types["X"]:
        return "it normalizes in the type of X"
    if "scale" in types and "bias" in types:
        return of_one_type(attributes, shapes, types)
    return normalizes_whole_axes(attributes, shapes, types)


def batch_normalization(a, X, scale, B, input_mean, input_var):
    mean, variance = of_channels(input_mean, X), of_channels(input_var, X)
    return jax.nn.standardize(X, 1, mean, variance, a.epsilon) * of_channels(
        scale, X) + of_channels(B, X)


def instance_normalization(a, input, scale, B):
    axes = tuple(range(2, input.ndim))
    return jax.nn.standardize(input, axes, epsilon=a.epsilon) * of_channels(
        scale, input) + of_channels(B, input)


def group_normalization(a, X, scale, bias):
    groups = jnp.asarray(X).reshape(X.shape[0], a.num_groups, -1)
    y = jax.nn.standardize(groups, 2, epsilon=a.epsilon).reshape(X.shape)
    return y * of_channels(scale, X) + of_channels(bias, X)


def layer_normalization(a, X, Scale, B=None):
    axes = tuple(range(a.axis % X.ndim, X.ndim))
    mean, variance = jnp.mean(X, axes, keepdims=True), jnp.var(X, axes, keepdims=True)
    y = jax.nn.standardize(X, axes, mean, variance, a.epsilon) * Scale
    return {"Y": y if B is None else y + B, "Mean": mean,
            "InvStdDev": jax.lax.rsqrt(variance + a.epsilon)}


def rms_normalization(a, X, scale):
    axes = tuple(range(a.axis % X.ndim, X.ndim))
    squares = jnp.mean(jnp.square(X), axis=axes, keepdims=True)
    return X * jax.lax.rsqrt(squares + a.epsilon) * scale


ROWS = {
    "onnx.conv": Row(conv, only=convolves, stepwise=NARROW),
    "onnx.conv_relu": Row(lambda a, X, W, B: jax.nn.relu(conv(a, X, W, B)), only=convolves,
                          stepwise=NARROW),
    "onnx.conv_batch_normalization": Row(
        lambda a, X, W, bias, **normalized: batch_normalization(a, conv(a, X, W, bias),
                                                                **normalized),
        only=convolves, stepwise=NARROW),
    "onnx.max_pool": Row(max_pool, FLOATS | {"i8", "u8"}, pools),
    "onnx.average_pool": Row(average_pool, only=pools, stepwise=NARROW),
    "onnx.global_average_pool": Row(global_pool(jnp.mean), only=of_windows, stepwise=NARROW),
    "onnx.global_max_pool": Row(global_pool(jnp.max), only=of_windows),
    "onnx.global_lp_pool": Row(global_lp_pool, only=of_windows, stepwise=NARROW),
    "onnx.batch_normalization": Row(batch_normalization, only=not_trained, stepwise=NARROW),
    "onnx.instance_normalization": Row(instance_normalization, stepwise=NARROW),
    "onnx.group_normalization": Row(group_normalization, only=in_its_type, stepwise=NARROW),
    "onnx.layer_normalization": Row(layer_normalization, only=in_its_type, stepwise=NARROW,
                                    beside={"Mean": FLOATS, "InvStdDev": FLOATS}),
    "onnx.rms_normalization": Row(rms_normalization, only=in_its_type, stepwise=NARROW),
}
