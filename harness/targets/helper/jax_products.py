# SPDX-License-Identifier: Apache-2.0
"""StableHLO's products as jax.lax has them. JAX is asked itself which algorithms its backend has:
what it does not lower is not supported."""

import functools

import jax
import jax.numpy as jnp
from jax import lax
from operators import FLOATS, INTEGERS, SMALL_INTEGERS, Row

FLOATS_OF_8 = frozenset({"f8e4m3", "f8e5m2"})
TYPES = {"i32": jnp.int32, "f16": jnp.float16, "bf16": jnp.bfloat16, "f32": jnp.float32,
         "f64": jnp.float64, "f8e4m3": jnp.float8_e4m3fn, "f8e5m2": jnp.float8_e5m2}


def dot_general(a, lhs, rhs):
    return lax.dot_general(
        lhs, rhs, ((a.lhs_contracting_dimensions or (), a.rhs_contracting_dimensions or ()),
                   (a.lhs_batching_dimensions or (), a.rhs_batching_dimensions or ())),
        precision=a.algorithm.upper() if a.algorithm else None,
        preferred_element_type=TYPES[a.result_type] if a.result_type else None)


@functools.cache
def refusal(algorithm, kind):
    """Why JAX does not lower a product of two numbers by the algorithm; None: it does."""
    number = jnp.zeros((1,), TYPES[kind])
    try:
        jax.jit(lambda x: lax.dot(x, x, precision=algorithm.upper())).lower(number)
    except (ValueError, TypeError) as why:
        return str(why).split(". ", maxsplit=1)[0]
    return None


def algorithm_lowered(attributes, _shapes, types):
    if not attributes.algorithm:
        return None
    with jax.enable_x64(types["lhs"] == "f64"):
        return refusal(attributes.algorithm, types["lhs"])


def convolution(a, lhs, rhs):
    """Reversed windows are products with a reversed kernel, which jax.lax has."""
    spatial = lhs.ndim - 2
    rhs = lax.rev(rhs, [d for d, turned in zip(a.kernel_spatial_dimensions,
                                               a.window_reversal or ()) if turned])
    ones = (1,) * spatial
    flat = a.padding or (0,) * (2 * spatial)
    numbers = lax.ConvDimensionNumbers(
        (a.input_batch_dimension, a.input_feature_dimension, *a.input_spatial_dimensions),
        (a.kernel_output_feature_dimension, a.kernel_input_feature_dimension,
         *a.kernel_spatial_dimensions),
        (a.output_batch_dimension, a.output_feature_dimension, *a.output_spatial_dimensions))
    return lax.conv_general_dilated(
        lhs, rhs, a.window_strides or ones, list(zip(flat[::2], flat[1::2])),
        lhs_dilation=a.lhs_dilation or ones, rhs_dilation=a.rhs_dilation or ones,
        dimension_numbers=numbers, feature_group_count=a.feature_group_count,
        batch_group_count=a.batch_group_count)


ROWS = {
    "stablehlo.dot_general": Row(dot_general, FLOATS | FLOATS_OF_8 | INTEGERS | SMALL_INTEGERS,
                                 only=algorithm_lowered),
    "stablehlo.convolution": Row(convolution, FLOATS | INTEGERS | SMALL_INTEGERS),
}
