# SPDX-License-Identifier: Apache-2.0
"""onnx.reference: nodes that the evaluator computes otherwise, one model each. Needs numpy, onnx.

Ends with 1 when all of them show it.
"""

import sys

import numpy as np
from onnx import helper as h
from onnx.reference import ReferenceEvaluator


def run(operator, opset, inputs, outputs=("y",), **attributes):
    value = lambda name: h.make_tensor_value_info(
        name, h.np_dtype_to_tensor_dtype(inputs[name].dtype), inputs[name].shape)
    node = h.make_node(operator, list(inputs), list(outputs), **attributes)
    graph = h.make_graph([node], "g", [value(name) for name in inputs],
                         [h.make_tensor_value_info(name, 1, None) for name in outputs if name])
    model = h.make_model(graph, opset_imports=[h.make_opsetid("", opset)], ir_version=10)
    return ReferenceEvaluator(model).run(None, inputs)


ones = {name: np.full((1, 1, 1, 1), 3, np.float32) for name in "QKV"}
x = np.array([[1, 2, 4, 9]])
row = {"X": x.astype(np.float64), "Scale": np.ones(4)}
erf = run("Erf", 13, {"X": np.array([0.3, 0.7])})[0]
shown = {
    "Attention, qk_matmul_output_mode 0: 9 has become softcap(9)":
        run("Attention", 23, ones, ("y", "", "", "qk"), softcap=1.0)[1].item() < 2,
    "LayerNormalization, stash_type 1: Mean is no f32":
        run("LayerNormalization", 17, row, ("y", "mean"))[1].dtype != np.float32,
    "RMSNormalization: Y has not the type of scale":
        run("RMSNormalization", 23, {**row, "Scale": np.ones(4, np.float32)})[0].dtype
        != np.float32,
    "Erf of f64 is an f32": (erf == erf.astype(np.float32)).all(),
    "LogSoftmax-11, axis 1 of [1, 2, 2]: 4 elements are no row": not np.isclose(
        np.exp(run("LogSoftmax", 11, {"X": np.ones((1, 2, 2), np.float32)}, axis=1)[0]).sum(), 1),
    "MaxPool, pads 1, 0, 2, 1 of 4 x 4: not 5 x 3": run("MaxPool", 22, {"X": np.ones((
        1, 1, 4, 4), np.float32)}, kernel_shape=[3, 3], pads=[1, 0, 2, 1])[0].shape[2:] != (5, 3),
    "GlobalMaxPool of [2, 3, 7] has not 3 axes":
        run("GlobalMaxPool", 22, {"X": np.ones((2, 3, 7), np.float32)})[0].ndim != 3,
    "LRN, the second channel of one batch has no squares": run("LRN", 13, {"X": np.ones((
        1, 2, 1, 1), np.float32)}, size=1, alpha=1.0)[0][0, 1, 0, 0] == 1,
    "LpNormalization, p 1, of 3 and -4: not 3 / 7":
        run("LpNormalization", 22, {"X": np.array([[3.0, -4]])}, p=1)[0][0, 0] < 0,
    "LpPool, ceil_mode, of 3 ones by 2: the last is the root of 2":
        run("LpPool", 22, {"X": np.ones((1, 1, 3), np.float32)}, kernel_shape=[2], strides=[2],
            ceil_mode=1)[0].ravel()[-1] > 1.4,
    "ReduceSumSquare of i32 is i64":
        run("ReduceSumSquare", 18, {"X": np.ones((1, 2), np.int32)})[0].dtype == np.int64,
    "QuantizeLinear of inf is 0": run("QuantizeLinear", 21, {
        "x": np.array([np.inf], np.float32), "scale": np.array(1, np.float32),
        "zero": np.array(0, np.uint8)})[0][0] == 0,
}
for name, seen in shown.items():
    print(f"{name}: {seen}")
sys.exit(1 if all(shown.values()) else 0)
