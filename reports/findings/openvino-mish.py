# SPDX-License-Identifier: Apache-2.0
"""OpenVINO: Mish of f32 takes 1 from the square of e^x + 1. Needs numpy and openvino.

Compares the library with NumPy, operation by operation, and with Mish in f64. Ends with 1 when Mish
is off by more than 16 ulps.
"""

import os
import sys

os.environ.setdefault("ONEDNN_MAX_CPU_ISA", "AVX2")
import numpy as np  # noqa: E402
import openvino  # noqa: E402
from openvino import opset13  # noqa: E402

F32 = np.float32


def number(bits):
    return np.uint32(bits).view(F32)


def fused(a, b, c):
    """a b + c, for operands of which f64 holds the product."""
    return (np.float64(a) * np.float64(b) + np.float64(c)).astype(F32)


def exponential(x):
    """e^x = 2^n e^r by a polynomial of degree 5 in r."""
    n = np.floor(fused(x, number(0x3FB8AA3B), 0.5))
    r = fused(n, -number(0x3F317218), x)
    y = number(0x3C07CFCE)
    for bits in (0x3D2B9D0D, 0x3E2AAD40, 0x3EFFFEE3, 0x3F7FFFFB, 0x3F800000):
        y = fused(y, r, number(bits))
    return y * np.exp2(n).astype(F32)


def model(x):
    square = (exponential(x) + F32(1)) ** 2
    return (square - F32(1)) / (square + F32(1)) * x


def library(x):
    given = opset13.parameter([len(x)], F32)
    made = openvino.Model([opset13.mish(given)], [given])
    precision = {"INFERENCE_PRECISION_HINT": "f32"}
    return openvino.Core().compile_model(made, "CPU", precision)(x)[0]


x = np.concatenate([np.linspace(-32, 16, 480001), np.geomspace(1e-6, 1, 100000),
                    -np.geomspace(1e-6, 1, 100000)]).astype(F32)
x = x[x != 0]
y = library(x)
wide = x.astype(np.float64)
right = wide * np.tanh(np.log1p(np.exp(wide)))
ulps = np.abs(y - right) / np.spacing(np.abs(right).astype(F32))
print(f"{np.sum(y.view(np.uint32) != model(x).view(np.uint32))} of {len(x)} differ from the model")
for low, high in ((-32, -17), (-17, -8), (-8, -4), (-4, -2), (-2, -1), (-1, 0), (0, 16)):
    inside = np.flatnonzero((x >= low) & (x < high))
    worst = inside[np.argmax(ulps[inside])]
    print(f"from {low} to {high}: off by up to {ulps[worst]:.3g} ulps, at {x[worst]:.9g}: "
          f"{y[worst]:.9g} for {right[worst]:.9g}")
sys.exit(1 if ulps.max() > 16 else 0)
