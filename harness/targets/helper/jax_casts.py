# SPDX-License-Identifier: Apache-2.0
"""JAX's casts, and quantization as it is written with jax.numpy, under ONNX's names."""

import jax
import jax.numpy as jnp
from assay.target import DTYPES, dtype_name
from casts import OF_8_BITS, OF_FEW_BITS, ONNX_TYPES, USUAL, bits_of, casts_to, type_of_output
from jax_windows import conv, convolves
from operators import NARROW, SMALL_INTEGERS, Row

TO_AND_FROM = USUAL | OF_8_BITS | OF_FEW_BITS | {"f8e8m0", "f4e2m1"}
QUANTIZED = SMALL_INTEGERS | OF_8_BITS | OF_FEW_BITS | {"f4e2m1"}
SCALES = NARROW | {"f32", "f8e8m0"}


def cast(attributes, input):
    return jnp.asarray(input).astype(DTYPES[ONNX_TYPES[attributes.to]])


def laid(each, x, a):
    """Of one number, of one for each place of the axis, or for each block, one for each of x."""
    each = jnp.asarray(each)
    if a.block_size:
        axis = a.axis % x.ndim
        spread = jnp.repeat(each, a.block_size, axis)
        return jnp.take(spread, jnp.arange(x.shape[axis]), axis)
    if each.ndim == 0 or x.ndim == 1:
        return each
    return each.reshape([-1 if at == a.axis % x.ndim else 1 for at in range(x.ndim)])


def divides_in_f32_or_as_given(attributes, shapes, types):
    if shapes.get("y_zero_point", shapes["y_scale"]) != shapes["y_scale"]:
        return "arrays are broadcast to each other"
    if attributes.precision not in (None, 1):
        return "divides in f32, or in the type of x and the scale"
    if not attributes.precision and types["y_scale"] not in ("f32", types["x"]):
        return "divides in f32, or in the type of x and the scale"
    return None


def quantize(a, x, y_scale, y_zero_point=None):
    name = type_of_output(a, y_zero_point, dtype_name)
    kind, scale = DTYPES[name], laid(y_scale, x, a)
    work = jnp.float32 if a.precision else scale.dtype
    q = jnp.asarray(x).astype(work) / scale.astype(work)
    if name == "f4e2m1" or name in OF_8_BITS and not a.saturate:
        return q.astype(kind)
    if name in OF_8_BITS:
        most = jnp.finfo(kind).max.astype(work)
        return jnp.clip(q, -most, most).astype(kind)
    whole = jnp.round(q).astype(jnp.float32)
    if y_zero_point is not None:
        whole = whole + laid(y_zero_point, x, a).astype(jnp.float32)
    ends = jnp.iinfo(kind)
    return jnp.clip(whole, float(ends.min), float(ends.max)).astype(kind)


def dequantize(a, x, x_scale, x_zero_point=None):
    scale = laid(x_scale, x, a)
    kind = DTYPES[ONNX_TYPES[a.output_dtype]] if a.output_dtype else scale.dtype
    x = jnp.asarray(x)
    if x_zero_point is not None and jnp.issubdtype(x.dtype, jnp.integer):
        x = x.astype(jnp.int32) - laid(x_zero_point, x, a).astype(jnp.int32)
    return (x.astype(jnp.float32) * scale.astype(jnp.float32)).astype(kind)


def mat_mul_integer(_, A, B, a_zero_point=None, b_zero_point=None):
    """Of integers of 32 bits; that of A has a zero point for each row."""
    A, B = (jnp.asarray(tensor).astype(jnp.int32) for tensor in (A, B))
    if a_zero_point is not None:
        rows = a_zero_point.ndim == 1
        A = A - (a_zero_point.reshape(-1, 1) if rows else a_zero_point)
    return jnp.matmul(A, B if b_zero_point is None else B - b_zero_point)


def of_maps(each, rank):
    """One number, or one for each map."""
    each = jnp.asarray(each)
    return each.reshape(-1, *[1] * (rank - 2)) if each.ndim else each


def conv_integer(a, x, w, x_zero_point=0, w_zero_point=0):
    """Of integers of 32 bits."""
    zero = of_maps(w_zero_point, w.ndim + 1).astype(jnp.int32)
    return conv(a, jnp.asarray(x).astype(jnp.int32) - jnp.asarray(x_zero_point).astype(jnp.int32),
                jnp.asarray(w).astype(jnp.int32) - zero)


def q_linear_conv(a, x, x_scale, x_zero_point, w, w_scale, w_zero_point, y_scale, y_zero_point,
                  B=None):
    sums = conv_integer(a, x, w, x_zero_point, w_zero_point)
    if B is not None:
        sums = sums + of_maps(B, w.ndim)
    scale = x_scale * of_maps(w_scale, w.ndim) / y_scale
    kind = y_zero_point.dtype
    whole = jnp.round(sums.astype(jnp.float32) * scale) + y_zero_point.astype(jnp.float32)
    return jnp.clip(whole, float(jnp.iinfo(kind).min), float(jnp.iinfo(kind).max)).astype(kind)


ROWS = {
    "onnx.cast": Row(cast, TO_AND_FROM, casts_to(TO_AND_FROM)),
    "onnx.cast_like": Row(
        lambda _, input, target_type: jnp.asarray(input).astype(target_type.dtype),
        TO_AND_FROM, casts_to(TO_AND_FROM)),
    "onnx.bit_cast": Row(
        lambda a, input: jax.lax.bitcast_convert_type(input, DTYPES[ONNX_TYPES[a.to]]),
        TO_AND_FROM - {"bool"}, bits_of(TO_AND_FROM - {"bool"})),
    "onnx.quantize_linear": Row(quantize, SCALES | QUANTIZED, divides_in_f32_or_as_given),
    "onnx.dequantize_linear": Row(dequantize, SCALES | QUANTIZED | {"i32"}),
    "onnx.mat_mul_integer": Row(mat_mul_integer, SMALL_INTEGERS),
    "onnx.conv_integer": Row(conv_integer, SMALL_INTEGERS, convolves),
    "onnx.q_linear_conv": Row(q_linear_conv, SMALL_INTEGERS | {"f32", "i32"}, convolves),
}
