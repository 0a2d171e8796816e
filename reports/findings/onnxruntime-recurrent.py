# SPDX-License-Identifier: Apache-2.0
"""ONNX Runtime: recurrent nodes of one channel where oneDNN's text has it otherwise. Needs numpy,
onnx and onnxruntime.

Ends with 1 when all of them show it.
"""

import subprocess
import sys

import numpy as np
import onnxruntime
from onnx import helper as h

GATES = {"RNN": 1, "GRU": 3, "LSTM": 4}


def run(operator, steps=1, batch=1, dtype=np.float32, states=None, hidden=1, **attributes):
    """Y_h, and of an LSTM Y_c."""
    rows, draws = GATES[operator] * hidden, np.random.default_rng(1)
    shapes = {"X": (steps, batch, hidden), "W": (1, rows, hidden), "R": (1, rows, hidden)}
    inputs = {name: draws.standard_normal(shape).astype(np.float16).astype(dtype)
              for name, shape in shapes.items()}
    names = list(inputs)
    if states:
        inputs[states] = np.ones((1, batch, hidden), dtype)
        names += ["", ""] + (["", states] if states == "initial_c" else [states])
    kind = h.np_dtype_to_tensor_dtype(np.dtype(dtype))
    outputs = ["Y_h"] + ["Y_c"] * (operator == "LSTM")
    node = h.make_node(operator, names, ["", *outputs], hidden_size=hidden, **attributes)
    graph = h.make_graph(
        [node], "g", [h.make_tensor_value_info(n, kind, x.shape) for n, x in inputs.items()],
        [h.make_tensor_value_info(n, kind, None) for n in outputs])
    model = h.make_model(graph, opset_imports=[h.make_opsetid("", 14)], ir_version=10)
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    return onnxruntime.InferenceSession(model.SerializeToString(), options).run(None, inputs)


def dies(*words):
    done = subprocess.run([sys.executable, __file__, *words], stderr=subprocess.DEVNULL,
                          check=False)
    return done.returncode < 0


if sys.argv[1:]:
    run(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
    sys.exit(0)
tanh = run("RNN")[0]
products = {"hidden": 64, "steps": 3, "batch": 4}
shown = {
    "LSTM with initial_h alone, which counts":
        run("LSTM", states="initial_h")[0] != run("LSTM")[0],
    "LSTM with initial_c alone, which counts":
        run("LSTM", states="initial_c")[1] != run("LSTM")[1],
    "RNN without activations has tanh": tanh == run("RNN", activations=["Tanh"])[0],
    "LSTM of no steps: Y_h is 0, initial_h is 1":
        run("LSTM", steps=0, states="initial_h")[0] == 0,
    "GRU of f16 is that of f32, converted": run("GRU", dtype=np.float16, **products)[0]
                                            == run("GRU", **products)[0].astype(np.float16),
    "LSTM of no rows ends the process": dies("LSTM", "1", "0"),
    "GRU of no rows ends the process": dies("GRU", "1", "0"),
    "GRU of no steps ends the process": dies("GRU", "0", "1"),
}
for name, seen in shown.items():
    print(f"{name}: {bool(np.all(seen))}")
sys.exit(1 if all(np.all(seen) for seen in shown.values()) else 0)
