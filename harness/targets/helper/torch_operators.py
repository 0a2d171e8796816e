# SPDX-License-Identifier: Apache-2.0
"""The declared operators that PyTorch has."""

import torch
import torch_casts
import torch_elementwise
import torch_windows
from gradients import gradients
from operators import (FLOATS, INTEGERS, SINGLE, Operators, Row, attention_with_past,
                       normalized_shape, normalizes_whole_axes, one_axis, slope_of_a_sixth,
                       softmax_axis, sum_of_two, sums_as_written, token_step, tokens)
from torch_arrays import ON_CUDA, padded, to_numpy, to_torch

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


def one_type_or_f32_beside(_attributes, _shapes, types):
    data, beside = types["X"], set(types.values()) - {types["X"]}
    if beside - ({"f32"} if data in ("f16", "bf16") else set()):
        return "scale and statistics have the type of X, or f32 beside 16 bits"
    if len({kind for name, kind in types.items() if name != "X"}) > 1:
        return "scale and statistics have one type"
    return None


def batch_normalization(attributes, X, scale, B, input_mean, input_var):
    return functional.batch_norm(X, input_mean, input_var, scale, B,
                                 bool(attributes.training_mode), 1 - attributes.momentum,
                                 attributes.epsilon)


def group_normalizes_in_f32(attributes, _shapes, _types):
    return None if attributes.stash_type in (None, 1, "f32") else "stage one computes in f32"


def reduce_sum(attributes, data, axes=None):
    if axes is None or axes.numel() == 0:
        if attributes.noop_with_empty_axes:
            return data
        axes = torch.arange(data.dim())
    if data.dim() == 0 or axes.numel() == 0:
        return torch.sum(data, dtype=data.dtype)
    return torch.sum(data, dim=axes.tolist(), keepdim=bool(attributes.keepdims), dtype=data.dtype)


def attention(attributes, Q, K, V, attn_mask=None, past=0):
    """With is_causal the first query sees the first key alone: after a past there is a mask."""
    causal = bool(attributes.is_causal)
    if causal and past:
        attn_mask = torch.ones(Q.shape[2], K.shape[2], dtype=torch.bool, device=Q.device).tril(past)
    return functional.scaled_dot_product_attention(
        Q, K, V, attn_mask=attn_mask, is_causal=causal and not past,
        scale=attributes.scale, enable_gqa=Q.shape[1] != K.shape[1])


def linear_attention(attributes, query, key, value, past_state=None, decay=None, beta=None):
    """Token by token in f32, as in the function that defines the operator."""
    brought = tokens(attributes, *(None if x is None else x.float() for x in (
        query, key, value, decay, beta)))
    k, v = brought[1:3]
    step = token_step(torch, attributes.update_rule, attributes.scale, k.shape[3])
    state = k.new_zeros(*k.shape[1:], v.shape[3]) if past_state is None else past_state.float()
    read = []
    for t in range(len(k)):
        state, one = step(state, [None if x is None else x[t] for x in brought])
        read.append(one)
    output = torch.stack(read, 1).flatten(2)
    return {"output": output.to(query.dtype),
            "present_state": state.to((query if past_state is None else past_state).dtype)}


def scaled_mm_is_there(attributes, shapes, types):
    """On a device cuBLASLt multiplies no two tensors of E5M2, and scales rows for bf16 alone."""
    if ON_CUDA and types["A"] == types["B"] == "f8e5m2":
        return "one operand is of E4M3"
    if ON_CUDA and shapes["scale_a"] and attributes.out_dtype != "bf16":
        return "rows are scaled for bf16"
    return None


def scaled_mm(attributes, A, B, scale_a, scale_b):
    def call(A, B, scale_a, scale_b):
        return torch._scaled_mm(A, B.t().contiguous().t(), scale_a, scale_b,
                                out_dtype=OUTPUTS[attributes.out_dtype])

    rows, columns = A.shape[0], B.shape[1]
    scales = tuple(scale_a.shape), tuple(scale_b.shape)
    if not ON_CUDA or A.shape[1] != B.shape[0] or scales not in (((), ()),
                                                                 ((rows, 1), (1, columns))):
        return call(A, B, scale_a, scale_b)  # what it has to refuse, as it is
    if scale_a.dim():
        scale_a, scale_b = padded(scale_a)[:, :1].contiguous(), padded(scale_b)[:1].contiguous()
    return call(padded(A), padded(B), scale_a, scale_b)[:rows, :columns]


OUTPUTS = {"f16": torch.float16, "bf16": torch.bfloat16, "f32": torch.float32}
SUMMED = FLOATS | (INTEGERS - {"u32", "u64"})
ROWS = torch_casts.ROWS | torch_elementwise.ROWS | torch_windows.ROWS | {
    "onnx.mat_mul": Row(lambda _, A, B: torch.matmul(A, B)),
    "onnx.gemm": Row(gemm, only=sum_of_two),
    "onnx.gemm_relu": Row(lambda a, A, B, C: torch.relu(gemm(a, A, B, C))),
    "onnx.matmul_bias_gelu": Row(
        lambda a, A, B, C: functional.gelu(torch.matmul(A, B) + C, approximate=a.approximate)),
    "onnx.scaled_attention": Row(
        lambda _, Q, K, V, scale: torch.matmul(torch.softmax(torch.matmul(Q, K) * scale, -1), V)),
    "onnx.softmax": Row(lambda a, input: torch.softmax(input, softmax_axis(a)),
                        only=one_axis),
    "onnx.log_softmax": Row(lambda a, input: torch.log_softmax(input, softmax_axis(a)),
                            only=one_axis),
    "onnx.layer_normalization": Row(layer_normalization, only=normalizes_in_f32,
                                    beside={"Mean": {"f32"}, "InvStdDev": {"f32"}}),
    "onnx.rms_normalization": Row(
        lambda a, X, scale: functional.rms_norm(X, normalized_shape(X.shape, a.axis), scale,
                                                a.epsilon), only=normalizes_in_f32),
    "onnx.batch_normalization": Row(batch_normalization, only=one_type_or_f32_beside),
    "onnx.instance_normalization": Row(
        lambda a, input, scale, B: functional.instance_norm(input, None, None, scale, B,
                                                            eps=a.epsilon)),
    "onnx.group_normalization": Row(
        lambda a, X, scale, bias: functional.group_norm(X, a.num_groups, scale, bias, a.epsilon),
        only=group_normalizes_in_f32),
    "onnx.gelu": Row(lambda a, X: functional.gelu(X, approximate=a.approximate)),
    "onnx.softplus": Row(lambda _, X: functional.softplus(X)),
    "onnx.hard_sigmoid": Row(lambda _, X: functional.hardsigmoid(X), only=slope_of_a_sixth),
    "onnx.reduce_sum": Row(reduce_sum, SUMMED),
    "onnx.cum_sum": Row(lambda _, x, axis: torch.cumsum(x, int(axis), dtype=x.dtype), SUMMED,
                        sums_as_written),
    "onnx.attention": attention_with_past(attention, torch.cat),
    "onnx.linear_attention": Row(linear_attention, SINGLE, beside={"present_state": SINGLE}),
    "torch.scaled_mm": Row(scaled_mm, {"f8e4m3", "f8e5m2", "f32"}, scaled_mm_is_there),
}


def differentiate(function, inputs, seeds):
    leaves = [tensor.detach().requires_grad_() for tensor in inputs]
    return torch.autograd.grad(function(*leaves), leaves, seeds, materialize_grads=True)


# Statistics that run along have no gradient there, nor what is quantized.
DIFFERENTIATED = {name: row for name, row in ROWS.items() if name not in (
    "onnx.batch_normalization", "onnx.conv_batch_normalization", "onnx.dequantize_linear",
    "torch.scaled_mm")}
TORCH = Operators("PyTorch", ROWS | gradients(DIFFERENTIATED, differentiate,
                                              stepwise={"layer_normalization"}),
                  take=to_torch, give=to_numpy,
                  refusals=(RuntimeError, ValueError, TypeError, IndexError))
