# SPDX-License-Identifier: Apache-2.0
"""PyTorch's products of 8 bits for record.py: torch._int_mm and torch._scaled_mm.

A quantised product is scaled and rounded by PyTorch's own operations on f64."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "helper"))

import numpy  # noqa: E402
import torch  # noqa: E402
from assay.target import Unsupported  # noqa: E402
from integers import sums  # noqa: E402
from torch_arrays import ON_CUDA, padded, to_numpy, to_torch  # noqa: E402
from torch_rows import Row  # noqa: E402


def int_mm(A, B):
    found = torch._int_mm(padded(to_torch(A)), padded(to_torch(B)))
    return to_numpy(found)[:A.shape[0], :B.shape[1]]


class ProductsI8(Row):
    """MatMulInteger and QLinearMatMul by torch._int_mm."""

    operations = ["onnx.mat_mul_integer", "onnx.q_linear_mat_mul"]

    def supports(self, request):
        if request.op not in self.operations:
            raise Unsupported("this row multiplies integers")
        if any(len(request.shapes[name]) < 2 for name in ("A", "B", "a", "b")
               if name in request.shapes):
            raise Unsupported("this row multiplies matrices")

    def run(self, request):
        of = request.inputs
        if request.op == "onnx.mat_mul_integer":
            return {"Y": sums(of["A"], of.get("a_zero_point"), of["B"], of.get("b_zero_point"),
                              int_mm)}
        a, b, y = (to_torch(of[f"{name}_scale"]).double() for name in "aby")
        a = a.unsqueeze(-1) if a.dim() == 1 else a
        whole = sums(of["a"], of["a_zero_point"], of["b"], of["b_zero_point"], int_mm)
        zero, ends = of["y_zero_point"], numpy.iinfo(of["y_zero_point"].dtype)
        found = torch.round(to_torch(whole) * (a * b / y)) + int(zero)
        return {"y": to_numpy(found.clamp(ends.min, ends.max)).astype(zero.dtype)}


class ProductsF8(Row):
    """torch._scaled_mm, whose sums on a device of 2022 have 14 bits."""

    operations = ["torch.scaled_mm"]
    model = {"dot": "any_f8_any_f8_f32_fast_accum"} if ON_CUDA else None
