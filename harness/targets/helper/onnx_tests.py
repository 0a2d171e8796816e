# SPDX-License-Identifier: Apache-2.0
"""The node tests that the package onnx brings, as lines of JSON for `assay score`: a request with
`expected`, and the tolerance of onnx's runner.

usage: onnx_tests.py FILE   (what `assay list operations 'onnx.*' --json` printed)
"""

import json
import sys
import warnings

import numpy
import onnx
from score_lines import Lines, dtype_name  # finds the package assay, which these need

from foreign import LeftOut, attribute, formals  # isort: skip
from onnx_node import OPERATORS  # isort: skip

AT_RANDOM = onnx.defs.OpSchema.NodeDeterminism.NonDeterministic


def array(value):
    return onnx.numpy_helper.to_array(value) if isinstance(value, onnx.TensorProto) \
        else numpy.asarray(value)


def arrays(pairs, places, given):
    """The arrays under their labels; those of graph inputs or outputs stand in their order."""
    at = {place.name: i for i, place in enumerate(places)}
    return {label: array(given[at[name]]) for label, name in pairs}


def add(lines, case, operation, inputs, outputs):
    graph, version = case.model.graph, case.model.opset_import[0].version
    node = graph.node[0]
    schema = onnx.defs.get_schema(node.op_type, version, "")
    if schema.node_determinism == AT_RANDOM:
        raise LeftOut("its values are drawn at random")
    attributes = {a.name: attribute(a) for a in node.attribute}
    fed = arrays(formals(schema, node.input, "inputs"), graph.input, inputs)
    expected = arrays(formals(schema, node.output, "outputs"), graph.output, outputs)
    for kind, given in (("attributes", attributes), ("inputs", fed)):
        unknown = sorted(set(given) - {known["name"] for known in operation[kind]})
        if unknown:
            raise LeftOut(f"{unknown[0]} of {kind} is not known here")
    unknown = sorted(set(expected) - set(operation["outputs"]))
    if unknown:
        raise LeftOut(f"{unknown[0]} of outputs is not known here")
    # Of bf16 the runner takes two steps.
    narrow = all(dtype_name(tensor) == "bf16" for tensor in expected.values())
    lines.add(case.name, operation["op"], {**attributes, "opset": version}, fed, expected,
              rtol=max(case.rtol, 2**-6) if narrow else case.rtol, atol=case.atol)


def main(path):
    from onnx.backend.test.loader import load_model_tests
    with open(path, encoding="utf-8") as file:
        known = {line["op"]: line for line in map(json.loads, file)}
    with warnings.catch_warnings(), numpy.errstate(all="ignore"):  # those of other operators
        warnings.simplefilter("ignore")
        cases = load_model_tests(kind="node")
    operators = {OPERATORS[name]: known[name] for name in known if name in OPERATORS}
    lines = Lines(f"the backend tests of the package onnx {onnx.__version__}",
                  [operation["op"] for operation in operators.values()])
    for case in sorted(cases, key=lambda case: case.name):
        nodes = case.model.graph.node
        if len(nodes) == 1 and nodes[0].op_type in operators and not nodes[0].domain:
            for inputs, outputs in case.data_sets:
                try:
                    add(lines, case, operators[nodes[0].op_type], inputs, outputs)
                except (LeftOut, TypeError) as why:
                    lines.leave(f"{nodes[0].op_type}: {str(why).partition(' (')[0]}")
    lines.write()


if __name__ == "__main__":
    main(*sys.argv[1:])
