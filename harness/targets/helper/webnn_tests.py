# SPDX-License-Identifier: Apache-2.0
"""WebNN's conformance files as lines of JSON for `assay score`: gru, gruCell, lstm and lstmCell as
requests of ONNX's GRU and LSTM, which have the same equations; those of webnn_operators.py as
requests of ONNX's operators.

usage: webnn_tests.py FOLDER OPERATIONS   (a checkout of the web platform tests, of which webnn is
read, and what `assay list operations 'onnx.*' --json` printed)

The files are JavaScript; of each the list `...Tests` is read, whose literals are JSON5. Gates
stand in WebNN's order iofg or ifgo, zrn or rzn; a cell is one step of one direction. The distance
in ULP is that of utils.js: of a float32 how many values lie between."""

import json
import os
import sys

import numpy
import webnn_operators
from score_lines import Lines, commit_of  # finds the package assay
from assay.target import DTYPES  # isort: skip
from webnn_operators import Unread, literal

TYPES = {name: numpy.dtype(name) for name in ("float32", "float16", "int8", "uint8", "int32",
                                              "uint32", "int64", "uint64")}
TYPES |= {name: DTYPES[of] for name, of in (("int4", "i4"), ("uint4", "u4")) if of in DTYPES}
DIRECTIONS = {"forward": "forward", "backward": "reverse", "both": "bidirectional"}
FILES = {"gru": "gru", "gru_cell": "gruCell", "lstm": "lstm", "lstm_cell": "lstmCell"}
# The blocks of WebNN's layouts in ONNX's order: i, o, f, c and z, r, h.
LAYOUTS = {"iofg": [0, 1, 2, 3], "ifgo": [0, 3, 1, 2], "zrn": [0, 1, 2], "rzn": [1, 0, 2]}
FIRST_VALUES = 1000  # of an output; what lies behind them is not compared
ELEMENTS_MAX = 100_000  # of all tensors of a test: lines are text
UNREAD = {"steps", "hiddenSize", "input", "weight", "recurrentWeight", "hiddenState", "cellState",
          "options", "bias", "recurrentBias", "peepholeWeight", "initialHiddenState", "label",
          "initialCellState", "resetAfter", "returnSequence", "direction", "layout", "activations"}


def array(operand):
    kind, shape = operand["descriptor"]["dataType"], operand["descriptor"]["shape"]
    if kind not in TYPES:
        raise Unread(f"tests of {kind}")
    data = numpy.array(operand["data"], dtype=TYPES[kind])
    return numpy.full(shape, data) if data.ndim == 0 else data.reshape(shape)


def reordered(blocks, order, axis):
    """The gates' blocks along the axis, in ONNX's order."""
    parts = numpy.split(blocks, len(order), axis=axis)
    return numpy.concatenate([parts[k] for k in order], axis=axis)


def biases(operands, order, like):
    """WebNN's two, one behind the other; None where both are absent."""
    if "bias" not in operands and "recurrentBias" not in operands:
        return None
    zeros = numpy.zeros(like.shape[:2], like.dtype)
    return numpy.concatenate([reordered(operands[name], order, 1) if name in operands else zeros
                              for name in ("bias", "recurrentBias")], axis=1)


def functions(cell, options, directions):
    given = options.get("activations",
                        ["sigmoid", "tanh", "tanh"] if cell == "lstm" else ["sigmoid", "tanh"])
    return [name.capitalize() for name in given] * directions


def known_arguments(operator):
    given = webnn_operators.arguments_of(operator)
    unknown = sorted(set(given) - UNREAD)
    if unknown:
        raise Unread(f"tests with {unknown[0]}")
    return given


def request_of(name, graph):
    """Operation, attributes, inputs, and the expected outputs."""
    if len(graph["operators"]) != 1 or graph["operators"][0]["name"] != name:
        raise Unread("graphs of several operators")
    operator = graph["operators"][0]
    cell, single = name.removesuffix("Cell"), name.endswith("Cell")
    given = known_arguments(operator)
    # A cell's operands have no time and no direction.
    axes = {"input": 0, "weight": 0, "recurrentWeight": 0, "bias": 0, "recurrentBias": 0,
            "peepholeWeight": 0, "hiddenState": 0, "cellState": 0} if single else {}
    operands = {key: array(graph["inputs"][value]) for key, value in given.items()
                if isinstance(value, str) and value in graph["inputs"]}
    operands = {key: numpy.expand_dims(value, axes[key]) if key in axes else value
                for key, value in operands.items()}
    order = LAYOUTS[given.get("layout", "iofg" if cell == "lstm" else "zrn")]
    weights = reordered(operands["weight"], order, 1)
    inputs = {"X": operands["input"], "W": weights,
              "R": reordered(operands["recurrentWeight"], order, 1),
              "B": biases(operands, order, weights),
              "initial_h": operands.get("hiddenState", operands.get("initialHiddenState")),
              "initial_c": operands.get("cellState", operands.get("initialCellState")),
              "P": operands.get("peepholeWeight")}
    attributes = {"hidden_size": given["hiddenSize"], "opset": 22,
                  "direction": DIRECTIONS[given.get("direction", "forward")],
                  "activations": functions(cell, given, weights.shape[0])}
    if cell == "gru":
        attributes["linear_before_reset"] = int(given.get("resetAfter", True))
    outputs = operator["outputs"]
    outputs = outputs if isinstance(outputs, list) else [outputs]
    names = ["Y_h", "Y_c", "Y"] if cell == "lstm" else ["Y_h", "Y"]
    expected = {}
    for formal, actual in zip(names, outputs, strict=False):
        value = array(graph["expectedOutputs"][actual])
        if value.size > FIRST_VALUES:
            raise Unread(f"outputs of more than {FIRST_VALUES} values, of which only the first "
                         "are compared")
        expected[formal] = value[numpy.newaxis] if single else value
    return (f"onnx.{cell}", attributes,
            {key: value for key, value in inputs.items() if value is not None}, expected)


def read(lines, stem, path):
    name = FILES[stem]
    with open(path, encoding="utf-8") as file:
        text = file.read()
    tests = literal(text, r"const \w+Tests = (?=\[)")
    tolerances = literal(text, r"const toleranceValueDict = (?=\{)")
    if tests is None or tolerances is None or "'ULP'" not in text:
        raise SystemExit(f"{path}: no list of tests with a tolerance in ULP")
    for number, test in enumerate(tests, 1):
        try:
            operation, attributes, inputs, expected = request_of(name, test["graph"])
            kind = next(iter(test["graph"]["expectedOutputs"].values()))["descriptor"]["dataType"]
            if kind not in tolerances:
                raise Unread(f"tests of {kind}, which have no tolerance")
        except Unread as why:
            lines.leave(f"{name}: {why}")
            continue
        lines.add(f"{stem}-{number}", operation, attributes, inputs, expected,
                  ulp=tolerances[kind])


def tests_of(path):
    """The file's text and its lists of tests."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    return text, literal(text, r"const \w+Tests =\s*(?=\[)")


def read_operators(lines, stem, path, tolerances, known):
    text, tests = tests_of(path)
    if tests is None:
        lines.leave("files whose list of tests cannot be read")
        return
    for number, test in enumerate(tests, 1):
        graph = test["graph"]
        name = graph["operators"][0]["name"]
        try:
            if webnn_operators.OPERATORS.get(name) not in known:
                raise Unread("no operation here")
            kind = next(iter(graph["expectedOutputs"].values()))["descriptor"]["dataType"]
            request = webnn_operators.request_of(graph, array, known)
            if sum(tensor.size for part in request[2:] for tensor in part.values()) > ELEMENTS_MAX:
                raise Unread(f"tests of more than {ELEMENTS_MAX:,} elements")
            lines.add(f"{stem}-{number}", *request, **tolerances.of(text, graph, kind),
                      rounded=webnn_operators.is_rounded(request[1]))
        except Unread as why:
            lines.leave(f"{name}: {why}")


def main(folder, operations):
    with open(operations, encoding="utf-8") as file:
        known = {line["op"]: line for line in map(json.loads, file)}
    tests = os.path.join(folder, "webnn", "conformance_tests")
    theirs = [name for name in webnn_operators.OPERATORS.values() if name in known]
    lines = Lines(f"WebNN's conformance tests{commit_of(folder)}",
                  ["onnx.gru", "onnx.lstm", "onnx.range", *theirs])
    tolerances = webnn_operators.Tolerances(os.path.join(folder, "webnn"))
    for name in sorted(os.listdir(tests)):
        stem, path = name.removesuffix(".https.any.js"), os.path.join(tests, name)
        if stem == name:
            continue
        if stem in FILES:
            read(lines, stem, path)
        else:
            read_operators(lines, stem, path, tolerances, known)
    lines.write()


if __name__ == "__main__":
    main(*sys.argv[1:])
