# SPDX-License-Identifier: Apache-2.0
"""The node tests that the package onnx brings, as lines of JSON for `assay score`: a request with
`expected`, and the tolerance of onnx's runner. usage: onnx_tests.py OPERATOR... (onnx.lstm ...)"""

import sys
import warnings

import numpy
import onnx
from score_lines import Lines  # finds the package assay, which onnx_node needs

from onnx_node import OPERATORS, TYPES  # isort: skip


def attribute(value):
    if isinstance(value, bytes):
        return value.decode()
    return [attribute(v) for v in value] if isinstance(value, list) else value


def add(lines, case, node, name, inputs, outputs):
    version = case.model.opset_import[0].version
    schema = onnx.defs.get_schema(node.op_type, version, "")
    attributes = {a.name: attribute(onnx.helper.get_attribute_value(a)) for a in node.attribute}
    for key in ("dtype", "output_dtype"):
        if key in attributes:
            attributes[key] = next(n for n, t in TYPES.items() if t == attributes[key])
    formal = [f.name for f, given in zip(schema.inputs, node.input, strict=False) if given]
    wanted = [f.name for f, given in zip(schema.outputs, node.output, strict=False) if given]
    lines.add(case.name, name, {**attributes, "opset": version},
              dict(zip(formal, map(numpy.asarray, inputs), strict=True)),
              dict(zip(wanted, map(numpy.asarray, outputs), strict=True)),
              rtol=case.rtol, atol=case.atol)


def main(names):
    from onnx.backend.test.loader import load_model_tests
    with warnings.catch_warnings(), numpy.errstate(all="ignore"):  # those of other operators
        warnings.simplefilter("ignore")
        cases = load_model_tests(kind="node")
    lines = Lines(f"the backend tests of the package onnx {onnx.__version__}", names)
    operators = {OPERATORS[name]: name for name in names if name in OPERATORS}
    for case in sorted(cases, key=lambda case: case.name):
        nodes = case.model.graph.node
        if len(nodes) == 1 and nodes[0].op_type in operators and not nodes[0].domain:
            for inputs, outputs in case.data_sets:
                add(lines, case, nodes[0], operators[nodes[0].op_type], inputs, outputs)
    lines.write()


if __name__ == "__main__":
    main(sys.argv[1:])
