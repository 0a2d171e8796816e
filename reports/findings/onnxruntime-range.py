# SPDX-License-Identifier: Apache-2.0
"""ONNX Runtime: Range of i64 whose ends coincide in f64. Needs numpy, onnx and onnxruntime.

Ends with 1 when it counts the elements of all of them otherwise.
"""

import sys

import numpy as np
import onnxruntime
from onnx import helper as h

I64 = 7
names = ["start", "limit", "delta"]
graph = h.make_graph([h.make_node("Range", names, ["y"])], "g",
                     [h.make_tensor_value_info(name, I64, []) for name in names],
                     [h.make_tensor_value_info("y", I64, None)])
model = h.make_model(graph, opset_imports=[h.make_opsetid("", 11)], ir_version=10)
session = onnxruntime.InferenceSession(model.SerializeToString())
seen = []
for ends in ((2**63 - 4, 2**63 - 1, 1), (-2**63, -2**63 + 4, 1), (2**53 - 1, 2**53 + 5, 1)):
    found = session.run(None, {name: np.array(end) for name, end in zip(names, ends)})[0].size
    print(f"{ends}: {found} elements, {len(range(*ends))} expected")
    seen.append(found != len(range(*ends)))
sys.exit(1 if all(seen) else 0)
