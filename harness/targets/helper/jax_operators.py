# SPDX-License-Identifier: Apache-2.0
"""The declared operators that jax has, each compiled."""

import jax
import jax.numpy as jnp
import jax_casts
import jax_functions
import jax_products
import jax_windows
import numpy
from gradients import gradients
from operators import (FLOATS, INTEGERS, NARROW, SINGLE, Operators, Row, attention_kept,
                       attention_with_past, forms_none_and_tanh, one_axis, shaped_like,
                       slope_of_a_sixth, softmax_axis, sum_of_two, sums_inclusive, token_step,
                       tokens)


def reduce_sum(attributes, data, axes=None):
    if axes is None or axes.size == 0:
        if attributes.noop_with_empty_axes:
            return data
        axes = None
    else:
        axes = tuple(int(axis) for axis in axes)
    return jnp.sum(data, axis=axes, dtype=data.dtype, keepdims=bool(attributes.keepdims))


def cum_sum(attributes, x, axis):
    at = int(axis)
    return jax.lax.cumsum(x, axis=at + x.ndim if -x.ndim <= at < 0 else at,
                          reverse=bool(attributes.reverse))


def attention_of_one_size(_attributes, shapes, _types):
    return None if shapes["K"][-1:] == shapes["V"][-1:] else "keys and values have one size"


def first_of(*reasons):
    """What one of them says, the first that says anything."""
    return lambda *request: next(filter(None, (why(*request) for why in reasons)), None)


def attention(attributes, Q, K, V, attn_mask=None, past=0):
    """Its own axes are batch, length, heads, size. With is_causal the first query sees the first
    key alone: after a past there is a mask."""
    q, k, v = (jnp.swapaxes(jnp.asarray(tensor), 1, 2) for tensor in (Q, K, V))
    chosen, causal = {}, bool(attributes.is_causal)
    if causal and past:
        attn_mask = jnp.tril(jnp.ones((Q.shape[2], K.shape[2]), bool), past)
    if attn_mask is not None:
        mask = jnp.asarray(attn_mask)
        mask = mask.reshape((1,) * (4 - mask.ndim) + mask.shape)
        chosen["mask" if mask.dtype == bool else "bias"] = mask
    return jnp.swapaxes(jax.nn.dot_product_attention(
        q, k, v, is_causal=causal and not past, scale=attributes.scale, **chosen), 1, 2)


SCAN = jax.jit(jax.lax.scan, static_argnums=0)


def linear_attention(attributes, query, key, value, past_state=None, decay=None, beta=None):
    """A scan over tokens in f32, as in the function that defines the operator."""
    def single(x):
        return None if x is None else jnp.asarray(x, jnp.float32)

    brought = tokens(attributes, *map(single, (query, key, value, decay, beta)))
    k, v = brought[1:3]
    start = jnp.zeros((*k.shape[1:], v.shape[3])) if past_state is None else single(past_state)
    step = token_step(jnp, attributes.update_rule, attributes.scale, k.shape[3])
    state, read = SCAN(step, start, brought)
    return {"output": jnp.swapaxes(read, 0, 1).reshape(*query.shape[:2], -1).astype(query.dtype),
            "present_state": state.astype((query if past_state is None else past_state).dtype)}


def bias_of_its_shape(attributes, shapes, types):
    rows, columns = shapes["A"][attributes.transA or 0:][:1], shapes["B"][::-1][
        attributes.transB or 0:][:1]
    if "C" in shapes and shaped_like("Y", "C")(attributes, {"Y": rows + columns} | shapes, types):
        return "arrays are broadcast to each other"
    return sum_of_two(attributes, shapes, types)


def gemm(a, A, B, C=None):
    y = a.alpha * jnp.matmul(A.T if a.transA else A, B.T if a.transB else B)
    return y if C is None else y + a.beta * jnp.asarray(C)


ROWS = jax_casts.ROWS | jax_functions.ROWS | jax_products.ROWS | jax_windows.ROWS | {
    "onnx.mat_mul": Row(lambda _, A, B: jnp.matmul(A, B)),
    "onnx.gemm": Row(gemm, only=bias_of_its_shape, stepwise=NARROW),
    "onnx.gemm_relu": Row(lambda a, A, B, C: jax.nn.relu(gemm(a, A, B, C)),
                          only=bias_of_its_shape, stepwise=NARROW),
    "onnx.matmul_bias_gelu": Row(
        lambda a, A, B, C: jax.nn.gelu(jnp.matmul(A, B) + C, approximate=a.approximate == "tanh"),
        stepwise=NARROW),
    "onnx.scaled_attention": Row(
        lambda _, Q, K, V, scale: jnp.matmul(jax.nn.softmax(jnp.matmul(Q, K) * scale, -1), V),
        stepwise=NARROW),
    "onnx.softmax": Row(lambda a, input: jax.nn.softmax(input, softmax_axis(a)),
                        only=one_axis, stepwise=NARROW),
    "onnx.log_softmax": Row(lambda a, input: jax.nn.log_softmax(input, softmax_axis(a)),
                            only=one_axis, stepwise=NARROW),
    "onnx.gelu": Row(lambda a, X: jax.nn.gelu(X, approximate=a.approximate == "tanh"),
                     only=forms_none_and_tanh),
    "onnx.softplus": Row(lambda _, X: jax.nn.softplus(X)),
    "onnx.hard_sigmoid": Row(lambda _, X: jax.nn.hard_sigmoid(X), only=slope_of_a_sixth),
    "onnx.reduce_sum": Row(reduce_sum, FLOATS | INTEGERS, stepwise=NARROW),
    "onnx.cum_sum": Row(cum_sum, FLOATS | INTEGERS, sums_inclusive, stepwise=NARROW),
    "onnx.attention": attention_with_past(
        attention, jnp.concatenate, first_of(attention_of_one_size, attention_kept)),
    "onnx.linear_attention": Row(linear_attention, SINGLE, beside={"present_state": SINGLE}),
}


def differentiate(function, inputs, seeds):
    out, reverse = jax.vjp(function, *map(jnp.asarray, inputs))
    return reverse([jnp.asarray(seed, one.dtype) for seed, one in zip(seeds, out)])


# Gradients that are summed where a tensor was broadcast.
STEPWISE = {"add", "sub", "mul", "div", "mod", "dequantize_linear"}
JAX = Operators("jax", ROWS | gradients(ROWS, differentiate, STEPWISE),
                take=lambda array: array, give=numpy.asarray,
                refusals=(ValueError, TypeError, IndexError, NotImplementedError))
