# SPDX-License-Identifier: Apache-2.0
"""ONNX Runtime: Mod of large integers. Needs numpy, onnx and onnxruntime.

Ends with 1 when remainders with fmod 1 are not those of Python's integers.
"""

import sys

import numpy as np
import onnxruntime
from onnx import helper as h


def mod(a, b, fmod):
    kind = h.np_dtype_to_tensor_dtype(a.dtype)
    value = lambda name: h.make_tensor_value_info(name, kind, a.shape)
    graph = h.make_graph([h.make_node("Mod", ["a", "b"], ["y"], fmod=fmod)], "g",
                         [value("a"), value("b")], [value("y")])
    model = h.make_model(graph, opset_imports=[h.make_opsetid("", 13)], ir_version=10)
    session = onnxruntime.InferenceSession(model.SerializeToString())
    return session.run(["y"], {"a": a, "b": b})[0].tolist()


wrong = 0
for kind, a, b in ((np.int64, [2**53 + 1, 2**63 - 1], [2, 1000]),
                   (np.uint64, [2**53 + 1, 2**64 - 1], [2, 10])):
    right = [x % y for x, y in zip(a, b)]  # none is negative: both kinds of Mod are the same
    for fmod in (0, 1):
        found = mod(np.array(a, kind), np.array(b, kind), fmod)
        print(f"{kind.__name__} {a} mod {b}, fmod {fmod}: {found}, right is {right}")
        wrong += fmod and found != right
sys.exit(1 if wrong == 2 else 0)
