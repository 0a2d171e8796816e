# SPDX-License-Identifier: Apache-2.0
"""The node tests that the package onnx brings, as lines of JSON for `assay score`: a request with
`expected`, and the tolerance of onnx's runner. usage: onnx_tests.py OPERATOR... (onnx.lstm ...)"""

import json
import os
import sys
import warnings

import numpy
import onnx

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "python"))
from assay.target import dtype_name  # noqa: E402
from onnx_node import OPERATORS, TYPES


def tensor(array):
    data, size = numpy.ascontiguousarray(array).tobytes(), array.dtype.itemsize
    return {"dtype": dtype_name(array), "shape": list(array.shape),
            "bits": [data[i:i + size][::-1].hex() for i in range(0, len(data), size)]}


def attribute(value):
    if isinstance(value, bytes):
        return value.decode()
    return [attribute(v) for v in value] if isinstance(value, list) else value


def line_of(case, node, name, inputs, outputs):
    version = case.model.opset_import[0].version
    schema = onnx.defs.get_schema(node.op_type, version, "")
    attributes = {a.name: attribute(onnx.helper.get_attribute_value(a)) for a in node.attribute}
    for key in ("dtype", "output_dtype"):
        if key in attributes:
            attributes[key] = next(n for n, t in TYPES.items() if t == attributes[key])
    formal = [f.name for f, given in zip(schema.inputs, node.input, strict=False) if given]
    wanted = [f.name for f, given in zip(schema.outputs, node.output, strict=False) if given]
    return {"id": case.name, "op": name, "attributes": {**attributes, "opset": version},
            "inputs": {n: tensor(numpy.asarray(a)) for n, a in zip(formal, inputs, strict=True)},
            "outputs": wanted, "rtol": case.rtol, "atol": case.atol,
            "expected": {n: tensor(numpy.asarray(a)) for n, a in zip(wanted, outputs, strict=True)}}


def main(names):
    from onnx.backend.test.loader import load_model_tests
    with warnings.catch_warnings(), numpy.errstate(all="ignore"):  # those of other operators
        warnings.simplefilter("ignore")
        cases = load_model_tests(kind="node")
    print(json.dumps({"source": f"the backend tests of the package onnx {onnx.__version__}"}))
    operators = {OPERATORS[name]: name for name in names if name in OPERATORS}
    for case in sorted(cases, key=lambda case: case.name):
        nodes = case.model.graph.node
        if len(nodes) == 1 and nodes[0].op_type in operators and not nodes[0].domain:
            for inputs, outputs in case.data_sets:
                print(json.dumps(line_of(case, nodes[0], operators[nodes[0].op_type], inputs,
                                         outputs)))


if __name__ == "__main__":
    main(sys.argv[1:])
