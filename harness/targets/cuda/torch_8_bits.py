# SPDX-License-Identifier: Apache-2.0
"""PyTorch's products of 8 bits for record.py: torch._int_mm and torch._scaled_mm.

Their kernels on a device want a multiple of 16 of everything, and more than 16 rows: zeros are put
around the operands. ONNX's u8 and zero points are made of i8 and of sums of rows and columns, as
all who quantize do. No operator of a suite multiplies 8-bit floats: asked is the case of f32 whose
operands f8 (e4m3) holds, and whose sums every accumulator does."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "helper"))

import numpy  # noqa: E402
import torch  # noqa: E402
from assay.target import Unsupported  # noqa: E402
from torch_arrays import DEVICE, to_numpy, to_torch  # noqa: E402
from torch_rows import ON_TENSOR_CORES, Row  # noqa: E402

F8, LEAST = torch.float8_e4m3fn, 32


def padded(matrix):
    """Its sizes made multiples of 32."""
    rows, columns = matrix.shape
    return torch.nn.functional.pad(matrix, (0, -columns % LEAST, 0, -rows % LEAST))


def product(A, B, multiply):
    """Of the two last axes, matrix by matrix."""
    batch = torch.broadcast_shapes(A.shape[:-2], B.shape[:-2])
    A, B = A.expand(*batch, *A.shape[-2:]), B.expand(*batch, *B.shape[-2:])
    left, right = A.reshape(-1, *A.shape[-2:]), B.reshape(-1, *B.shape[-2:])
    out = [multiply(padded(a), padded(b))[:A.shape[-2], :B.shape[-1]]
           for a, b in zip(left, right)]
    return torch.stack(out).reshape(*batch, A.shape[-2], B.shape[-1])


class ProductsI8(Row):
    """MatMulInteger by torch._int_mm."""

    operations = ["onnx.mat_mul_integer"]

    def supports(self, request):
        if request.op not in self.operations:
            raise Unsupported("this row multiplies integers")
        if min(len(request.shapes[name]) for name in "AB") < 2:
            raise Unsupported("this row multiplies matrices")

    @staticmethod
    def centred(array, zero):
        """i8 and its zero point, as i64."""
        shift = 128 if array.dtype == numpy.uint8 else 0
        zero = numpy.asarray(0 if zero is None else zero, numpy.int64) - shift
        return to_torch((array.astype(numpy.int64) - shift).astype(numpy.int8)), to_torch(zero)

    def run(self, request):
        inputs = request.inputs
        A, a = self.centred(inputs["A"], inputs.get("a_zero_point"))
        B, b = self.centred(inputs["B"], inputs.get("b_zero_point"))
        a = a.unsqueeze(-1) if a.dim() == 1 else a
        rows, columns = A.long().sum(-1, keepdim=True), B.long().sum(-2, keepdim=True)
        found = product(A, B, torch._int_mm).long()
        found = found - rows * b - a * columns + A.shape[-1] * a * b
        return {"Y": to_numpy(found.to(torch.int32))}


def f8_holds(array):
    there = torch.from_numpy(array.copy())
    return bool((there.to(F8).float() == there).all())


def scaled(a, b):
    one = torch.ones((), device=DEVICE)
    return torch._scaled_mm(a.to(F8), b.T.contiguous().to(F8).T, one, one, out_dtype=torch.float32)


class ProductsF8(Row):
    """MatMul of f32 by torch._scaled_mm."""

    operations, types, model = ["onnx.mat_mul"], frozenset({"f32"}), ON_TENSOR_CORES

    def supports(self, request):
        super().supports(request)
        if min(len(request.shapes[name]) for name in "AB") < 2:
            raise Unsupported("this row multiplies matrices")

    def run(self, request):
        if not all(f8_holds(array) for array in request.inputs.values()):
            raise ValueError("f8 does not hold the operands")
        return {"Y": to_numpy(product(to_torch(request.inputs["A"]), to_torch(request.inputs["B"]),
                                      scaled))}
