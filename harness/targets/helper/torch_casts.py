# SPDX-License-Identifier: Apache-2.0
"""PyTorch's casts and its quantized tensors under ONNX's names."""

import torch
from casts import OF_8_BITS, ONNX_TYPES, USUAL, bits_of, casts_to, type_of_output
from operators import SMALL_INTEGERS, Row
from torch_windows import conv, convolves, sizes

TYPES = {"f16": torch.float16, "bf16": torch.bfloat16, "f32": torch.float32, "f64": torch.float64,
         "f8e4m3": torch.float8_e4m3fn, "f8e5m2": torch.float8_e5m2,
         "f8e4m3fnuz": torch.float8_e4m3fnuz, "f8e5m2fnuz": torch.float8_e5m2fnuz,
         "f8e8m0": torch.float8_e8m0fnu, "bool": torch.bool, "u8": torch.uint8,
         "i8": torch.int8, "u16": torch.uint16, "i16": torch.int16, "u32": torch.uint32,
         "i32": torch.int32, "u64": torch.uint64, "i64": torch.int64}
NAMES = {of: name for name, of in TYPES.items()}
QUANTIZED = {"u8": torch.quint8, "i8": torch.qint8}
TO_AND_FROM = USUAL | OF_8_BITS | {"f8e8m0"}


def cast(attributes, input):
    return input.to(TYPES[ONNX_TYPES[attributes.to]])


def one_scale_or_one_axis(attributes, _shapes, _types):
    if attributes.block_size:
        return "no blocks"
    if attributes.precision not in (None, 1):
        return "quotients are f32"
    if attributes.output_dtype and attributes.output_dtype not in (1, 2, 3):
        return "quantized numbers have 8 bits, and others are f32"
    return None


def quantize(a, x, y_scale, y_zero_point=None):
    kind = QUANTIZED[type_of_output(a, y_zero_point, lambda zero: NAMES[zero.dtype])]
    if y_zero_point is None:
        y_zero_point = torch.zeros(y_scale.shape, dtype=torch.int64)
    if y_scale.dim():
        axis = a.axis % x.dim() if x.dim() > 1 else 0
        return torch.quantize_per_channel(x, y_scale, y_zero_point.long(), axis, kind).int_repr()
    return torch.quantize_per_tensor(x, float(y_scale), int(y_zero_point), kind).int_repr()


def dequantize(a, x, x_scale, x_zero_point=None):
    if x_zero_point is None:
        x_zero_point = torch.zeros(x_scale.shape, dtype=torch.int64)
    if x_scale.dim():
        axis = a.axis % x.dim() if x.dim() > 1 else 0
        return torch._make_per_channel_quantized_tensor(x, x_scale, x_zero_point.long(),
                                                        axis).dequantize()
    return torch._make_per_tensor_quantized_tensor(x, float(x_scale),
                                                   int(x_zero_point)).dequantize()


def dynamic_quantize(_, x):
    y = torch.quantize_per_tensor_dynamic(x, torch.quint8, False)
    return {"y": y.int_repr(), "y_scale": torch.tensor(y.q_scale(), dtype=torch.float32),
            "y_zero_point": torch.tensor(y.q_zero_point(), dtype=torch.uint8)}


def mat_mul_integer(_, A, B, a_zero_point=None, b_zero_point=None):
    """Of integers of 32 bits; that of A has a zero point for each row."""
    A, B = A.int(), B.int()
    if a_zero_point is not None:
        rows = a_zero_point.dim() == 1
        A = A - (a_zero_point.int().reshape(-1, 1) if rows else a_zero_point.int())
    return torch.matmul(A, B if b_zero_point is None else B - b_zero_point.int())


def conv_integer(a, x, w, x_zero_point=None, w_zero_point=None):
    """Of integers of 32 bits; w may have a zero point for each map."""
    x, w = x.int(), w.int()
    if x_zero_point is not None:
        x = x - x_zero_point.int()
    if w_zero_point is not None:
        zero = w_zero_point.int()
        w = w - (zero.reshape(-1, *[1] * (w.dim() - 1)) if zero.dim() else zero)
    return conv(a, x, w)


def convolves_quantized(attributes, shapes, types):
    if types["x"] != "u8" or types["w"] != "i8" or types["y_zero_point"] != "u8":
        return "x and y are u8, and w is i8"
    return convolves(attributes, shapes, types)


def q_linear_conv(a, x, x_scale, x_zero_point, w, w_scale, w_zero_point, y_scale, y_zero_point,
                  B=None):
    """B is a tensor of f32 there, quantized with the product of the scales."""
    made = torch._make_per_tensor_quantized_tensor
    bias = None if B is None else (B.double() * x_scale.double() * w_scale.double()).float()
    kernel = made(w, float(w_scale), int(w_zero_point)) if w_scale.dim() == 0 else \
        torch._make_per_channel_quantized_tensor(w, w_scale.double(), w_zero_point.long(), 0)
    rank = w.dim() - 2
    of = sizes(a, rank)
    call = getattr(torch.ao.nn.quantized.functional, f"conv{rank}d")
    return call(made(x, float(x_scale), int(x_zero_point)), kernel, bias, of["stride"],
                of["padding"], of["dilation"], a.group, "zeros", float(y_scale),
                int(y_zero_point)).int_repr()


ROWS = {
    "onnx.cast": Row(cast, TO_AND_FROM, casts_to(TO_AND_FROM, {"f8e4m3"})),
    "onnx.cast_like": Row(lambda _, input, target_type: input.to(target_type.dtype), TO_AND_FROM,
                          casts_to(TO_AND_FROM, {"f8e4m3"})),
    "onnx.bit_cast": Row(lambda a, input: input.view(TYPES[ONNX_TYPES[a.to]]), TO_AND_FROM,
                         bits_of(TO_AND_FROM)),
    "onnx.quantize_linear": Row(quantize, {"f32", "u8", "i8"}, one_scale_or_one_axis),
    "onnx.dequantize_linear": Row(dequantize, {"f32", "u8", "i8", "i32"}, one_scale_or_one_axis),
    "onnx.dynamic_quantize_linear": Row(dynamic_quantize, {"f32"}, beside={
        "y_scale": {"f32"}, "y_zero_point": {"f32"}}),
    "onnx.mat_mul_integer": Row(mat_mul_integer, SMALL_INTEGERS),
    "onnx.conv_integer": Row(conv_integer, SMALL_INTEGERS, convolves),
    "onnx.q_linear_conv": Row(q_linear_conv, {"u8", "i8", "f32", "i32"}, convolves_quantized),
}
