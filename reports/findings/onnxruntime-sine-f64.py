# SPDX-License-Identifier: Apache-2.0
"""ONNX Runtime: Sin and Cos of f64 below 15. Needs numpy, onnx and onnxruntime.

Ends with 1 when an element is off by more than 100 ulps that is right beside an element of 16.
"""

import math
import sys

import numpy as np
import onnxruntime
from onnx import helper as h

F64 = 11
HIGH, LOW = 1.570796325802803, 9.920935184482005e-10  # of pi / 2 6.1e-17 is left


def run(operator, x):
    node = h.make_node(operator, ["x"], ["y"])
    graph = h.make_graph([node], "g", [h.make_tensor_value_info("x", F64, x.shape)],
                         [h.make_tensor_value_info("y", F64, x.shape)])
    model = h.make_model(graph, opset_imports=[h.make_opsetid("", 22)], ir_version=10)
    return onnxruntime.InferenceSession(model.SerializeToString()).run(None, {"x": x})[0]


off = {}
for operator, right, x in (("Sin", math.sin, 12.566951904164474),
                           ("Cos", math.cos, 10.995470090883824)):
    for beside in (1.0, 16.0):
        y = run(operator, np.array([beside] * 3 + [x] + [beside] * 4))[3]
        off[operator, beside] = abs(y - right(x)) / np.spacing(abs(right(x)))
        print(f"{operator}({x!r}) beside {beside}: {y!r}, off by {off[operator, beside]:.1f} ulps")
    q = round(x * 2 / math.pi)
    print(f"  {q} pi / 2 is {q} * ({HIGH!r} + {LOW!r}) and {q * 6.123234e-17:.2e}")
sys.exit(1 if off["Sin", 1.0] > 100 > off["Sin", 16.0] + off["Cos", 16.0] else 0)
