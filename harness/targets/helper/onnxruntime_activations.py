# SPDX-License-Identifier: Apache-2.0
"""Measures tanh and the logistic function of ONNX Runtime against the functions: inside a recurrent
node (one RNN node with W = 1 and R = 0 gives act(x)), and as the operators Tanh and Sigmoid.

Its target declares the result as its evaluation model. Every float of 2^-14 to 32, of both signs:
half a minute. Printed are the largest absolute error, and what is left of it beside the ulps that
the standard model admits; the largest of these is what the target must declare.
"""

import numpy as np
import onnxruntime
from onnx import TensorProto, helper

PIECE = 1 << 20
ULPS = {"Tanh": 2, "Sigmoid": 4}
EXACT = {"Tanh": np.tanh, "Sigmoid": lambda x: 1 / (1 + np.exp(-x))}


def recurrent(activation):
    node = helper.make_node("RNN", ["x", "w", "r"], ["y"], hidden_size=1, activations=[activation])
    constants = [helper.make_tensor(name, TensorProto.FLOAT, [1, 1, 1], [value])
                 for name, value in (("w", 1.0), ("r", 0.0))]
    return session(node, [1, "n", 1], [1, 1, "n", 1], constants)


def operator(name):
    return session(helper.make_node(name, ["x"], ["y"]), [1, "n", 1], [1, "n", 1], [])


def session(node, given, made, constants):
    graph = helper.make_graph([node], "g",
                              [helper.make_tensor_value_info("x", TensorProto.FLOAT, given)],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, made)],
                              constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 14)], ir_version=8)
    return onnxruntime.InferenceSession(model.SerializeToString(),
                                        providers=["CPUExecutionProvider"])


def pieces():
    low, high = (int(np.float32(k).view(np.int32)) for k in (2.0**-14, 32.0))
    for first in range(low, high, PIECE):
        x = np.arange(first, min(first + PIECE, high), dtype=np.int32).view(np.float32)
        yield from (x, -x)


def main():
    print("onnxruntime", onnxruntime.__version__)
    for name in ULPS:
        for where, make in (("in RNN", recurrent), ("operator", operator)):
            asked, most, left = make(name), (0.0, 0.0), (0.0, 0.0)
            for x in pieces():
                exact = EXACT[name](x.astype(np.float64))
                got = asked.run(None, {"x": x.reshape(1, -1, 1)})[0].reshape(-1)
                error = np.abs(got - exact)
                beyond = error - ULPS[name] * np.spacing(np.abs(exact).astype(np.float32))
                most = max(most, (error.max(), x[error.argmax()]))
                left = max(left, (beyond.max(), x[beyond.argmax()]))
            print(f"{name} {where}: off by {most[0]:.4g} at {most[1]:.6g}; beyond {ULPS[name]} "
                  f"ulps by {left[0]:.4g} at {left[1]:.6g}", flush=True)


main()
