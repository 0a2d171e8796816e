# SPDX-License-Identifier: Apache-2.0
"""ONNX Runtime: models of one node that it computes otherwise, or that end its process. Needs
numpy, onnx and onnxruntime.

Ends with 1 when all of them show it.
"""

import subprocess
import sys

import numpy as np
import onnxruntime
from onnx import helper as h


def run(operator, opset, inputs, kind=None, **attributes):
    value = lambda name: h.make_tensor_value_info(
        name, h.np_dtype_to_tensor_dtype(inputs[name].dtype), inputs[name].shape)
    kind = kind or h.np_dtype_to_tensor_dtype(next(iter(inputs.values())).dtype)
    graph = h.make_graph([h.make_node(operator, list(inputs), ["y"], **attributes)], "g",
                         [value(name) for name in inputs],
                         [h.make_tensor_value_info("y", kind, None)])
    model = h.make_model(graph, opset_imports=[h.make_opsetid("", opset)], ir_version=10)
    return onnxruntime.InferenceSession(model.SerializeToString()).run(None, inputs)[0]


if sys.argv[1:] == ["draw"]:
    run("RandomNormal", 1, {}, 1, shape=[0], scale=0.0)
    sys.exit(0)
f32 = np.float32
one = {"X": np.full((1, 1, 1), 0.125, f32), "W": np.ones((1, 1, 1), f32),
       "R": np.zeros((1, 1, 1), f32)}
ends = {"start": 2**63 - 4, "limit": 2**63 - 1, "delta": 1}
shown = {
    "Bernoulli of 0 gives ones": run("Bernoulli", 15, {"x": np.zeros(9, f32)}).all(),
    "Range from 2^63 - 4 to 2^63 - 1 has not its 3 elements":
        run("Range", 11, {name: np.array(end) for name, end in ends.items()}).size != 3,
    "RNN, ThresholdedRelu of 0.125, alpha 1 by default: not 0":
        run("RNN", 14, one, activations=["ThresholdedRelu"], hidden_size=1).item() != 0,
    "RandomNormal with scale 0 ends the process":
        subprocess.run([sys.executable, __file__, "draw"], stderr=subprocess.DEVNULL,
                       check=False).returncode < 0,
    "MaxPool of -inf gives the least finite number":
        np.isfinite(run("MaxPool", 12, {"X": np.full((1, 1, 2), -np.inf, f32)},
                        kernel_shape=[2])).all(),
    "Shrink of f64 is an f32":
        (lambda y: y == f32(y))(run("Shrink", 9, {"x": np.array([1.1])}, bias=0.1)).all(),
}
for name, seen in shown.items():
    print(f"{name}: {seen}")
sys.exit(1 if all(shown.values()) else 0)
