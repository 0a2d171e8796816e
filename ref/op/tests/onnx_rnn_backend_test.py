# SPDX-License-Identifier: Apache-2.0
"""onnx.rnn, onnx.gru and onnx.lstm against the node tests that the package onnx brings, at their
own tolerance. Those see little: weights are one number times ones, and lengths, clip and
activations are not in them."""

import os
import sys
import warnings

sys.path.insert(0, "harness/tests")
from tap import finish, report, skip  # noqa: E402

try:
    import numpy
    import onnx
    from onnx.backend.test.case.node import collect_testcases
except ImportError as missing:
    skip("the node tests of onnx", missing)
    finish()

from onednn_rnn_request import to_number  # noqa: E402
from onnx_rnn_model import evaluate  # noqa: E402

OPERATORS = {"RNN": "onnx.rnn", "GRU": "onnx.gru", "LSTM": "onnx.lstm"}


def typed(array):
    kind = "i4" if array.dtype.kind == "i" else "f4"
    data = array.astype(">" + kind).tobytes()
    return {"dtype": "i32" if kind == "i4" else "f32", "shape": list(array.shape),
            "bits": [data[i:i + 4].hex() for i in range(0, len(data), 4)]}


def difference(node, inputs, outputs):
    spelled = ["X", "W", "R", "B", "sequence_lens", "initial_h", "initial_c", "P"]
    places = [spelled[i] for i, name in enumerate(node.input) if name]
    attributes = {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}
    attributes = {k: v.decode() if isinstance(v, bytes) else v for k, v in attributes.items()}
    (answer,) = evaluate([{"op": OPERATORS[node.op_type], "attributes": attributes,
                           "inputs": dict(zip(places, map(typed, inputs)))}])
    if "error" in answer:
        return str(answer["error"])
    wanted = [place for place, name in zip(("Y", "Y_h", "Y_c"), node.output) if name]
    for place, right in zip(wanted, outputs):
        output = answer["outputs"][place]
        found = numpy.array([float(to_number(k, "f32")) for k in output["bits"]])
        if output["shape"] != list(right.shape):
            return f"{place}: shape {output['shape']}, expected {list(right.shape)}"
        if not numpy.allclose(found, right.reshape(-1), rtol=1e-3, atol=1e-7):
            return f"{place}: off by {numpy.abs(found - right.reshape(-1)).max()}"
    return None


def main():
    tests = 0
    with warnings.catch_warnings(), numpy.errstate(all="ignore"):  # those of other operators
        warnings.simplefilter("ignore")
        cases = collect_testcases(None)
    for case in cases:
        nodes = case.model.graph.node
        if len(nodes) != 1 or nodes[0].op_type not in OPERATORS:
            continue
        tests += 1
        (inputs, outputs), = case.data_sets
        report(case.name, difference(nodes[0], inputs, outputs))
    report("there are such tests", None if tests >= 12 else f"only {tests}")
    finish()


main()
