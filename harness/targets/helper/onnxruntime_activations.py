# SPDX-License-Identifier: Apache-2.0
"""Measures the activations inside ONNX Runtime's recurrent nodes against the functions.

Its target declares the result as its evaluation model. One RNN node with W = 1 and R = 0 gives
act(x). It is run for every 64th float of 2^-14 to 17, of both signs. Printed are the largest
absolute error, the largest error in ulp, and the ulp that are left when the absolute error that
the target declares is taken off.
"""

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper

DECLARED_ABSOLUTE = 2e-7


def run(activation, x):
    rows = len(x)
    node = helper.make_node("RNN", ["x", "w", "r"], ["y"], hidden_size=1, activations=[activation])
    constant = [
        helper.make_tensor(name, TensorProto.FLOAT, [1, 1, 1], [value])
        for name, value in (("w", 1.0), ("r", 0.0))
    ]
    graph = helper.make_graph(
        [node],
        "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, rows, 1])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 1, rows, 1])],
        constant,
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 14)])
    model.ir_version = 8
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    return session.run(None, {"x": x.reshape(1, rows, 1)})[0].reshape(-1).astype(np.float64)


def main():
    low, high = (np.float32(k).view(np.int32) for k in (2.0 ** -14, 17.0))
    positive = np.arange(low, high, 64, dtype=np.int32).view(np.float32)
    x = np.concatenate([positive, -positive])
    print("onnxruntime", onnxruntime.__version__, len(x), "arguments")
    for activation, exact in (
        ("Tanh", np.tanh(x.astype(np.float64))),
        ("Sigmoid", 1 / (1 + np.exp(-x.astype(np.float64)))),
    ):
        error = np.abs(run(activation, x) - exact)
        ulp = np.exp2(np.floor(np.log2(np.abs(exact))) - 23)
        left = np.maximum(error - DECLARED_ABSOLUTE, 0) / ulp
        print(
            f"{activation}: {error.max():.3g} absolute at {x[error.argmax()]:.6g}, "
            f"{(error / ulp).max():.5g} ulp at "
            f"{x[(error / ulp).argmax()]:.6g}, {left.max():.3g} ulp beyond {DECLARED_ABSOLUTE}"
        )


main()
