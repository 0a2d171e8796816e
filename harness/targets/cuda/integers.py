# SPDX-License-Identifier: Apache-2.0
"""Products of ONNX's integers, of either sign and with zero points, by a product of two matrices of
i8: u8 is shifted by 128, and zero points are made up for by sums of rows and columns, as all who
quantize do."""

import math

import numpy


def centred(array, zero):
    """i8 and its zero point, as i64."""
    shift = 128 if array.dtype == numpy.uint8 else 0
    zero = numpy.asarray(0 if zero is None else zero, numpy.int64) - shift
    return (array.astype(numpy.int64) - shift).astype(numpy.int8), zero


def as_column(of_rows):
    return of_rows[:, None] if of_rows.ndim == 1 else of_rows


def matrix_by_matrix(A, B, multiply):
    """Of the two last axes; those before are broadcast."""
    batch = numpy.broadcast_shapes(A.shape[:-2], B.shape[:-2])
    left, right = (numpy.broadcast_to(x, batch + x.shape[-2:]).reshape(math.prod(batch),
                                                                       *x.shape[-2:])
                   for x in (A, B))
    out = [multiply(a, b) for a, b in zip(left, right)]
    return numpy.stack(out).reshape(batch + out[0].shape)


def sums(A, a_zero, B, b_zero, multiply):
    """i32, modulo 2^32. `multiply` gives the i32 product of two matrices of i8."""
    (A, a), (B, b) = centred(A, a_zero), centred(B, b_zero)
    a = as_column(a)
    rows, columns = (x.sum(axis, dtype=numpy.int64, keepdims=True)
                     for x, axis in ((A, -1), (B, -2)))
    found = matrix_by_matrix(A, B, multiply).astype(numpy.int64)
    return (found - rows * b - a * columns + A.shape[-1] * a * b).astype(numpy.int32)
