# SPDX-License-Identifier: Apache-2.0
"""PyTorch's products of 8 bits for record.py: torch._int_mm and torch._scaled_mm.

ONNX's u8 and zero points are made of i8 and of sums of rows and columns, as all who quantize do;
a quantised product is scaled and rounded by PyTorch's own operations on f64."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "helper"))

import numpy  # noqa: E402
import torch  # noqa: E402
from assay.target import Unsupported  # noqa: E402
from torch_arrays import ON_CUDA, padded, to_numpy, to_torch  # noqa: E402
from torch_rows import Row  # noqa: E402


def product(A, B, multiply):
    """Of the two last axes, matrix by matrix."""
    batch = torch.broadcast_shapes(A.shape[:-2], B.shape[:-2])
    A, B = A.expand(*batch, *A.shape[-2:]), B.expand(*batch, *B.shape[-2:])
    left, right = A.reshape(-1, *A.shape[-2:]), B.reshape(-1, *B.shape[-2:])
    out = [multiply(padded(a), padded(b))[:A.shape[-2], :B.shape[-1]]
           for a, b in zip(left, right)]
    return torch.stack(out).reshape(*batch, A.shape[-2], B.shape[-1])


class ProductsI8(Row):
    """MatMulInteger and QLinearMatMul by torch._int_mm."""

    operations = ["onnx.mat_mul_integer", "onnx.q_linear_mat_mul"]

    def supports(self, request):
        if request.op not in self.operations:
            raise Unsupported("this row multiplies integers")
        if any(len(request.shapes[name]) < 2 for name in ("A", "B", "a", "b")
               if name in request.shapes):
            raise Unsupported("this row multiplies matrices")

    @staticmethod
    def centred(array, zero):
        """i8 and its zero point, as i64."""
        shift = 128 if array.dtype == numpy.uint8 else 0
        zero = numpy.asarray(0 if zero is None else zero, numpy.int64) - shift
        return to_torch((array.astype(numpy.int64) - shift).astype(numpy.int8)), to_torch(zero)

    def sums(self, A, a_zero, B, b_zero):
        """Modulo 2^32."""
        (A, a), (B, b) = self.centred(A, a_zero), self.centred(B, b_zero)
        a = self.as_column(a)
        rows, columns = A.long().sum(-1, keepdim=True), B.long().sum(-2, keepdim=True)
        found = product(A, B, torch._int_mm).long()
        return (found - rows * b - a * columns + A.shape[-1] * a * b).to(torch.int32)

    @staticmethod
    def as_column(of_rows):
        return of_rows.unsqueeze(-1) if of_rows.dim() == 1 else of_rows

    def run(self, request):
        of = request.inputs
        if request.op == "onnx.mat_mul_integer":
            return {"Y": to_numpy(self.sums(of["A"], of.get("a_zero_point"), of["B"],
                                            of.get("b_zero_point")))}
        a, b, y = (to_torch(of[f"{name}_scale"]).double() for name in "aby")
        sums = self.sums(of["a"], of["a_zero_point"], of["b"], of["b_zero_point"])
        zero, ends = of["y_zero_point"], numpy.iinfo(of["y_zero_point"].dtype)
        found = torch.round(sums * (self.as_column(a) * b / y)) + int(zero)
        return {"y": to_numpy(found.clamp(ends.min, ends.max)).astype(zero.dtype)}


class ProductsF8(Row):
    """torch._scaled_mm, whose sums on a device of 2022 have 14 bits."""

    operations = ["torch.scaled_mm"]
    model = {"dot": "any_f8_any_f8_f32_fast_accum"} if ON_CUDA else None
