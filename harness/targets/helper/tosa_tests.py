# SPDX-License-Identifier: Apache-2.0
"""TOSA's tests of operators that ONNX has with the same values, for `assay score`.

usage: tosa_tests.py FOLDER OPERATIONS   (where tosa_verif_build_tests and tosa_verif_run_ref of the
package tosa-tools wrote tests and the answers of their model: reports/scores/README.md says how;
and what `assay list operations 'onnx.*' --json` printed)

A test is a folder with a description, inputs and the model's answer in f64. What its program has
besides, an axis or a window, stands in its name. Read are those that must be met exactly or to an
ulp; bounds of each element, which their model computes for exponentials and sums of products, are
no tolerance of a test here."""

import glob
import json
import os
import re
import sys

import ml_dtypes
import numpy
from score_lines import Lines, commit_of

OPERATORS = {
    "ABS": "abs", "ADD": "add", "SUB": "sub", "MUL": "mul", "CEIL": "ceil", "FLOOR": "floor",
    "NEGATE": "neg", "RECIPROCAL": "reciprocal", "EQUAL": "equal", "GREATER": "greater",
    "GREATER_EQUAL": "greater_or_equal", "LOGICAL_AND": "and", "LOGICAL_OR": "or",
    "LOGICAL_XOR": "xor", "LOGICAL_NOT": "not", "MAXIMUM": "max", "MINIMUM": "min",
    "SELECT": "where", "CAST": "cast", "REDUCE_MAX": "reduce_max", "REDUCE_MIN": "reduce_min",
    "REDUCE_ALL": "reduce_min", "REDUCE_ANY": "reduce_max", "ARGMAX": "arg_max",
    "MAX_POOL2D": "max_pool"}
TYPES = {"FP32": ("f4", 1), "FP16": ("f2", 10), "BF16": (ml_dtypes.bfloat16, 16), "INT8": ("i1", 3),
         "INT16": ("i2", 5), "INT32": ("i4", 6), "BOOL": ("?", 9)}
BY_MODEL = "tests that are held to bounds of each element"
OTHERWISE = "tests of operators that ONNX has otherwise, or of types that it has not"


class Unread(Exception):
    """The test is left out, and why."""


def array_of(path):
    array = numpy.load(path, allow_pickle=False)
    return array.view(ml_dtypes.bfloat16) if array.dtype.kind == "V" else array


def number_in(name, word):
    return int(re.search(rf"_{word}(\d+)", name)[1])


def pool(name, inputs, expected):
    """Channels come last there; pads are top, bottom, left and right."""
    strides, kernel, pads = ([int(digit) for digit in re.search(rf"_{word}(\d+)", name)[1]]
                             for word in ("st", "kern", "pad"))
    if len(strides) != 2 or len(kernel) != 2 or len(pads) != 4:
        raise Unread(OTHERWISE)
    attributes = {"kernel_shape": kernel, "strides": strides,
                  "pads": [pads[i] for i in (0, 2, 1, 3)]}
    return attributes, [inputs[0].transpose(0, 3, 1, 2)], expected.transpose(0, 3, 1, 2)


def request(operator, name, inputs, expected, kind):
    """Attributes, inputs and what is expected as ONNX has them."""
    given = inputs[0].dtype
    if operator == "CAST":
        if given.kind not in "biu" and kind.startswith("INT"):
            raise Unread(OTHERWISE)  # to the nearest, and not toward zero
        return {"to": TYPES[kind][1]}, inputs, expected
    if operator.startswith("REDUCE"):
        axes = numpy.array([number_in(name, "axis")], numpy.int64)
        return {"keepdims": 1}, [*inputs, axes], expected
    if operator == "ARGMAX":
        return ({"axis": number_in(name, "axis"), "keepdims": 0}, inputs,
                expected.astype(numpy.int64))
    if operator == "MAX_POOL2D":
        return pool(name, inputs, expected)
    scaled = operator == "MUL" and given.kind == "i" and number_in(name, "shift")
    if scaled or operator in ("MUL", "NEGATE") and given.itemsize < 4 and given.kind == "i":
        raise Unread(OTHERWISE)  # shifted, of another type, or with zero points
    return {}, inputs, expected


def read(lines, folder, known):
    with open(os.path.join(folder, "desc.json"), encoding="utf-8") as file:
        test = json.load(file)
    operator, name = test["test_details"]["operator"], os.path.basename(folder)
    held = next(iter(test["meta"]["compliance"]["tensors"].values()))
    if operator not in OPERATORS:
        raise Unread("operators that have no operation here")
    if held["mode"] not in ("EXACT", "ULP"):
        raise Unread(BY_MODEL)
    kind = held["data_type"]
    inputs = [array_of(os.path.join(folder, path)) for path in test["ifm_file"]]
    if kind not in TYPES or not inputs:
        raise Unread(OTHERWISE)
    answers = sorted(glob.glob(os.path.join(folder, "ref-result-0*.npy")))
    if not answers:
        raise Unread("tests without an answer of their model")
    expected = array_of(answers[0]).astype(TYPES[kind][0])
    attributes, inputs, expected = request(operator, name, inputs, expected, kind)
    operation = known[f"onnx.{OPERATORS[operator]}"]
    labels = [given["name"] for given in operation["inputs"]]
    if len(labels) < len(inputs):
        raise Unread(OTHERWISE)
    ulp = held["ulp_info"]["ulp"] if held["mode"] == "ULP" else 0
    lines.add(name, f"onnx.{OPERATORS[operator]}", attributes, dict(zip(labels, inputs)),
              {operation["outputs"][0]: numpy.asarray(expected, order="C")}, ulp=int(ulp))


def main(folder, operations):
    with open(operations, encoding="utf-8") as file:
        known = {line["op"]: line for line in map(json.loads, file)}
    paths = sorted(glob.glob(os.path.join(folder, "**", "desc.json"), recursive=True))
    if not paths:
        raise SystemExit(f"{folder}: no tests (desc.json) that tosa_verif_build_tests made")
    lines = Lines(f"TOSA's tests, as its generator makes them{commit_of(folder)}",
                  sorted({f"onnx.{name}" for name in OPERATORS.values()} & set(known)))
    for path in paths:
        try:
            read(lines, os.path.dirname(path), known)
        except (Unread, TypeError) as why:
            lines.leave(str(why).partition(" (")[0])
    lines.write()


if __name__ == "__main__":
    main(*sys.argv[1:])
