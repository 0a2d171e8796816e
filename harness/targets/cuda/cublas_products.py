# SPDX-License-Identifier: Apache-2.0
"""Products by cuBLAS itself (cublasGemmEx) for record.py, a class for each row of rows.py.

cuBLAS reads columns: it is asked for the transposed product of the transposed operands, which lie
there as they are. Sizes are given, not shapes, so that it refuses none that do not fit.
"""

import ctypes

import numpy
from assay.target import DTYPES, Target, Unsupported, dtype_name
from driver import with_driver
from integers import matrix_by_matrix, sums
from native import call, cuda_runtime, library

TYPES = {"f32": 0, "f64": 1, "f16": 2, "i8": 3, "i32": 10, "bf16": 14}  # cudaDataType
IN_F32, IN_F64, IN_I32, IN_TF32 = 68, 70, 72, 77  # cublasComputeType_t
SCALARS = {IN_F32: ctypes.c_float, IN_TF32: ctypes.c_float, IN_F64: ctypes.c_double,
           IN_I32: ctypes.c_int32}
TO_DEVICE, TO_HOST, DEFAULT, NOT_TRANSPOSED = 1, 2, -1, 0
MAJOR, MINOR, MULTIPROCESSORS = 75, 76, 16  # cudaDeviceAttr

CUBLAS, CUDART = library("ASSAY_CUBLAS", "libcublas.so.13", "libcublas.so.12"), cuda_runtime()


def attribute(number):
    value = ctypes.c_int()
    call(CUDART, "cudaDeviceGetAttribute", ctypes.byref(value), number, 0)
    return value.value


MACHINE = {"processor": with_driver(
    f"device of compute capability {attribute(MAJOR)}.{attribute(MINOR)}, "
    f"{attribute(MULTIPROCESSORS)} multiprocessors")}


class Memory:
    """Of the device, for arrays and for zeros."""

    def __init__(self):
        self.taken = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for place in self.taken:
            CUDART.cudaFree(place)

    def put(self, array):
        place = ctypes.c_void_p()
        call(CUDART, "cudaMalloc", ctypes.byref(place), ctypes.c_size_t(max(array.nbytes, 1)))
        self.taken.append(place)
        call(CUDART, "cudaMemcpy", place, ctypes.c_void_p(array.ctypes.data),
             ctypes.c_size_t(array.nbytes), TO_DEVICE)
        return place


class Products(Target):
    name, operations, model = "cublas", ["onnx.mat_mul"], None
    computed = {"f32": IN_F32, "f64": IN_F64}

    def __init__(self):
        self.handle, version = ctypes.c_void_p(), ctypes.c_int()
        call(CUBLAS, "cublasCreate_v2", ctypes.byref(self.handle))
        call(CUBLAS, "cublasGetVersion_v2", self.handle, ctypes.byref(version))
        self.version = str(version.value)

    def supports(self, request):
        if request.op not in self.operations or request.window:
            raise Unsupported("this row multiplies")
        A, B = request.shapes["A"], request.shapes["B"]
        if min(len(A), len(B)) < 2 or A[-1] != B[-2]:
            raise Unsupported("matrices that fit are multiplied")
        if request.dtypes["A"] == "bf16" and request.attributes.get("opset", 13) < 13:
            raise Unsupported("cuBLAS knows no versions of operators")
        if not {request.dtypes[name] for name in "AB"} <= self.taken_types():
            raise Unsupported(f"this row takes {', '.join(sorted(self.taken_types()))}")

    def taken_types(self):
        return set(self.computed)

    def multiply(self, A, B):
        kind = dtype_name(A)
        compute, out = self.computed[kind], "i32" if kind == "i8" else kind
        (rows, depth), columns = A.shape, B.shape[1]
        C = numpy.zeros((rows, columns), DTYPES[out])
        if not A.size or not B.size:
            return C
        one, nothing = SCALARS[compute](1), SCALARS[compute](0)
        A, B = numpy.ascontiguousarray(A), numpy.ascontiguousarray(B)
        with Memory() as memory:
            a, b, c = memory.put(A), memory.put(B), memory.put(C)
            call(CUBLAS, "cublasGemmEx", self.handle, NOT_TRANSPOSED, NOT_TRANSPOSED, columns,
                 rows, depth, ctypes.byref(one), b, TYPES[kind], columns, a, TYPES[kind], depth,
                 ctypes.byref(nothing), c, TYPES[out], columns, compute, DEFAULT)
            call(CUDART, "cudaMemcpy", ctypes.c_void_p(C.ctypes.data), c,
                 ctypes.c_size_t(C.nbytes), TO_HOST)
        return C

    def run(self, request):
        return {"Y": matrix_by_matrix(request.inputs["A"], request.inputs["B"], self.multiply)}


class ProductsTf32(Products):
    computed = {"f32": IN_TF32}
    model = {"dot": "tf32_tf32_f32", "additions": "truncated"}


class ProductsNarrow(Products):
    computed = {"f16": IN_F32, "bf16": IN_F32}
    model = {"additions": "truncated"}


class ProductsI8(Products):
    """With zeros around the operands: sizes of i8 are multiples of 4."""

    operations, computed = ["onnx.mat_mul_integer"], {"i8": IN_I32}

    def taken_types(self):
        return {"i8", "u8"}

    def multiply(self, A, B):
        left, right = (numpy.pad(x, [(0, -size % 32) for size in x.shape]) for x in (A, B))
        return super().multiply(left, right)[:A.shape[0], :B.shape[1]]

    def run(self, request):
        of = request.inputs
        return {"Y": sums(of["A"], of.get("a_zero_point"), of["B"], of.get("b_zero_point"),
                          self.multiply)}
