# SPDX-License-Identifier: Apache-2.0
"""ONNX Runtime: models of one node that it refuses. Needs numpy, onnx and onnxruntime.

Ends with 1 when it refuses all of them.
"""

import sys

import numpy as np
import onnxruntime
from onnx import helper as h


def refusal(operator, opset, inputs, kind, **attributes):
    value = lambda name: h.make_tensor_value_info(
        name, h.np_dtype_to_tensor_dtype(inputs[name].dtype), inputs[name].shape)
    node = h.make_node(operator, list(inputs), ["y"], **attributes)
    graph = h.make_graph([node], "g", [value(name) for name in inputs],
                         [h.make_tensor_value_info("y", kind, None)])
    model = h.make_model(graph, opset_imports=[h.make_opsetid("", opset)], ir_version=10)
    try:
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 4
        onnxruntime.InferenceSession(model.SerializeToString(), options).run(None, inputs)
    except Exception as why:
        return str(why)[-120:]
    return None


F32, F64 = 1, 11
rows = {name: np.ones((1, 1, 3, 4), np.float32) for name in "QKV"}
refused = {
    "Attention, a mask of 1 x 3 for 3 queries":
        refusal("Attention", 23, {**rows, "mask": np.zeros((1, 3), np.float32)}, F32),
    "Attention, a mask of 3 x 2 for 3 keys":
        refusal("Attention", 23, {**rows, "mask": np.zeros((3, 2), np.float32)}, F32),
    "Attention, V of f16":
        refusal("Attention", 23, {**rows, "V": rows["V"].astype(np.float16)}, F32),
    "RMSNormalization, X of f32 and scale of f64":
        refusal("RMSNormalization", 23, {"X": rows["Q"], "scale": np.ones(4)}, F64),
}
for name, why in refused.items():
    print(f"{name}: {why}")
sys.exit(1 if all(refused.values()) else 0)
