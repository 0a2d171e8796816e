# SPDX-License-Identifier: Apache-2.0
"""onnx.reference: attributes of recurrent nodes that the evaluator does not use, one model each.
Needs numpy and onnx.

Ends with 1 when all of them show it.
"""

import sys

import numpy as np
from onnx import helper as h
from onnx.reference import ReferenceEvaluator


def run(operator, inputs, **attributes):
    value = lambda name: h.make_tensor_value_info(
        name, h.np_dtype_to_tensor_dtype(inputs[name].dtype), inputs[name].shape)
    names = [name if name in inputs else "" for name in ("X", "W", "R", "B", "lengths")]
    node = h.make_node(operator, names, ["y"], hidden_size=1, **attributes)
    graph = h.make_graph([node], "g", [value(name) for name in inputs],
                         [h.make_tensor_value_info("y", 1, None)])
    model = h.make_model(graph, opset_imports=[h.make_opsetid("", 22)], ir_version=10)
    return ReferenceEvaluator(model).run(None, inputs)[0].ravel()


def ones(gates, steps=1):
    """X of ones, and weights from 1 on: every gate has its own."""
    weights = np.arange(1, gates + 1, dtype=np.float32).reshape(1, gates, 1)
    return {"X": np.ones((steps, 1, 1), np.float32), "W": weights, "R": weights}


lengths = {"lengths": np.array([1], np.int32)}
shown = {
    "LSTM, sequence_lens 1 of 2: the second step is not 0":
        run("LSTM", {**ones(4, 2), **lengths})[1] != 0,
    "RNN, clip 0.5: tanh(1), not tanh(0.5)": run("RNN", ones(1), clip=0.5)[0] > 0.7,
    "GRU, activations Sigmoid and Relu: as with Tanh":
        run("GRU", ones(3), activations=["Sigmoid", "Relu"])[0] == run("GRU", ones(3))[0],
    "LSTM, input_forget 1: as without it":
        run("LSTM", ones(4, 2), input_forget=1)[1] == run("LSTM", ones(4, 2))[1],
}
for name, seen in shown.items():
    print(f"{name}: {seen}")
sys.exit(1 if all(shown.values()) else 0)
