# SPDX-License-Identifier: Apache-2.0
"""The declared operators that PyTorch has."""

import torch
from operators import (FLOATS, INTEGERS, Operators, Row, attention_alone, normalized_shape,
                       normalizes_whole_axes, one_axis, slope_of_a_sixth, softmax_axis,
                       sum_of_two, sums_as_written)
from torch_arrays import to_numpy, to_torch

functional = torch.nn.functional


def gemm(attributes, A, B, C=None):
    left, right = (A.T if attributes.transA else A), (B.T if attributes.transB else B)
    if C is None:
        C = torch.zeros((), dtype=A.dtype, device=A.device)
        return torch.addmm(C, left, right, beta=0, alpha=attributes.alpha)
    return torch.addmm(C, left, right, beta=attributes.beta, alpha=attributes.alpha)


def layer_normalization(attributes, X, Scale, B=None):
    shape = normalized_shape(X.shape, attributes.axis)
    y, mean, deviation = torch.native_layer_norm(X, shape, Scale, B, attributes.epsilon)
    return {"Y": y, "Mean": mean, "InvStdDev": deviation}


def normalizes_in_f32(attributes, shapes, types):
    if attributes.stash_type not in (None, 1, "f32"):
        return "stage one computes in f32 or wider"
    return normalizes_whole_axes(attributes, shapes, types)


def reduce_sum(attributes, data, axes=None):
    if axes is None or axes.numel() == 0:
        if attributes.noop_with_empty_axes:
            return data
        axes = torch.arange(data.dim())
    if data.dim() == 0 or axes.numel() == 0:
        return torch.sum(data, dtype=data.dtype)
    return torch.sum(data, dim=axes.tolist(), keepdim=bool(attributes.keepdims), dtype=data.dtype)


def attention(attributes, Q, K, V, attn_mask=None):
    return functional.scaled_dot_product_attention(
        Q, K, V, attn_mask=attn_mask, is_causal=bool(attributes.is_causal),
        scale=attributes.scale, enable_gqa=Q.shape[1] != K.shape[1])


SUMMED = FLOATS | (INTEGERS - {"u32", "u64"})
TORCH = Operators("PyTorch", {
    "onnx.mat_mul": Row(lambda _, A, B: torch.matmul(A, B)),
    "onnx.gemm": Row(gemm, only=sum_of_two),
    "onnx.softmax": Row(lambda a, input: torch.softmax(input, softmax_axis(a)),
                        only=one_axis),
    "onnx.log_softmax": Row(lambda a, input: torch.log_softmax(input, softmax_axis(a)),
                            only=one_axis),
    "onnx.layer_normalization": Row(layer_normalization, only=normalizes_in_f32,
                                    beside={"Mean": {"f32"}, "InvStdDev": {"f32"}}),
    "onnx.rms_normalization": Row(
        lambda a, X, scale: functional.rms_norm(X, normalized_shape(X.shape, a.axis), scale,
                                                a.epsilon), only=normalizes_in_f32),
    "onnx.gelu": Row(lambda a, X: functional.gelu(X, approximate=a.approximate)),
    "onnx.softplus": Row(lambda _, X: functional.softplus(X)),
    "onnx.hard_sigmoid": Row(lambda _, X: functional.hardsigmoid(X), only=slope_of_a_sixth),
    "onnx.reduce_sum": Row(reduce_sum, SUMMED),
    "onnx.cum_sum": Row(lambda _, x, axis: torch.cumsum(x, int(axis), dtype=x.dtype), SUMMED,
                        sums_as_written),
    "onnx.attention": Row(attention, only=attention_alone),
}, take=to_torch, give=to_numpy, refusals=(RuntimeError, ValueError, TypeError, IndexError))
