# SPDX-License-Identifier: Apache-2.0
"""WebNN's conformance files of operators that ONNX has with the same values: elementwise ones,
activations, reductions, products and normalisations. webnn_tests.py reads them."""

import os
import re

import json5
import numpy

SAME = ["abs", "add", "ceil", "cos", "div", "equal", "erf", "exp", "floor", "greater", "log",
        "mul", "neg", "pow", "reciprocal", "relu", "sigmoid", "sign", "sin", "softplus",
        "softsign", "sqrt", "sub", "tanh", "max", "min", "where", "elu", "gelu", "gemm"]
OTHERS = {
    "greaterOrEqual": "greater_or_equal", "lesser": "less", "lesserOrEqual": "less_or_equal",
    "logicalAnd": "and", "logicalOr": "or", "logicalXor": "xor", "logicalNot": "not",
    "prelu": "p_relu", "leakyRelu": "leaky_relu", "hardSigmoid": "hard_sigmoid",
    "hardSwish": "hard_swish", "clamp": "clip", "softmax": "softmax", "matmul": "mat_mul",
    "argMin": "arg_min", "argMax": "arg_max", "cumulativeSum": "cum_sum",
    "batchNormalization": "batch_normalization", "instanceNormalization": "instance_normalization",
    "layerNormalization": "layer_normalization", "reduceL1": "reduce_l1", "reduceL2": "reduce_l2",
    "reduceLogSum": "reduce_log_sum", "reduceLogSumExp": "reduce_log_sum_exp",
    "reduceMax": "reduce_max", "reduceMean": "reduce_mean", "reduceMin": "reduce_min",
    "reduceProduct": "reduce_prod", "reduceSum": "reduce_sum",
    "reduceSumSquare": "reduce_sum_square",
}
OPERATORS = {**{name: f"onnx.{name}" for name in SAME},
             **{name: f"onnx.{other}" for name, other in OTHERS.items()}}
COMPARISONS = {"equal", "greater", "greaterOrEqual", "lesser", "lesserOrEqual"}
LOGICAL = {"logicalAnd", "logicalOr", "logicalXor", "logicalNot"}
NORMALIZATIONS = {"batchNormalization", "instanceNormalization", "layerNormalization"}


class Unread(Exception):
    """Why a test is left out."""


def arguments_of(operator):
    """Plain values and names of operands, the options among them."""
    given = {}
    for argument in operator["arguments"]:
        given.update(argument)
    given.update(given.pop("options", {}))
    return given


class Test:
    """One test: its arguments by name, its operands as arrays."""

    def __init__(self, graph, array):
        self.operator = graph["operators"][0]
        self.name, self.given = self.operator["name"], arguments_of(self.operator)
        self.given.pop("label", None)
        self.order = [a for argument in self.operator["arguments"] for a in argument.values()
                      if isinstance(a, str) and a in graph["inputs"]]
        self.operands = {name: array(graph["inputs"][name]) for name in graph["inputs"]}
        self.first = self.operands[self.order[0]] if self.order else None

    def take(self, key, standard=None):
        return self.given.pop(key, standard)

    def operand(self, key):
        name = self.take(key)
        return None if name is None else self.operands[name]


def inputs_of(test, labels):
    """Operands in the order of the arguments, under ONNX's names."""
    for key in [k for k, v in test.given.items() if isinstance(v, str) and v in test.operands]:
        test.given.pop(key)
    return {label: test.operands[name]
            for label, name in zip(labels, test.order, strict=True)}


def reduction(test):
    rank = test.first.ndim
    axes = test.take("axes", list(range(rank)))
    inputs = inputs_of(test, ["data"])
    if not axes:
        raise Unread("reductions over no axis")
    inputs["axes"] = numpy.array(axes, numpy.int64)
    return {"keepdims": int(test.take("keepDimensions", False))}, inputs


def arguments_at(test):
    test.take("outputDataType")  # ONNX's are i64
    return {"axis": test.take("axis"), "keepdims": int(test.take("keepDimensions", False)),
            "opset": 13}, inputs_of(test, ["data"])


def cumulative(test):
    axis = numpy.array(test.take("axis"), numpy.int64)
    attributes = {"exclusive": int(test.take("exclusive", False)),
                  "reverse": int(test.take("reversed", False)), "opset": 14}
    return attributes, {**inputs_of(test, ["x"]), "axis": axis}


def clamp(test):
    ends = {label: numpy.array(test.take(key), test.first.dtype)
            for label, key in (("min", "minValue"), ("max", "maxValue")) if key in test.given}
    return {"opset": 13}, {**inputs_of(test, ["input"]), **ends}


def gemm(test):
    attributes = {label: float(test.take(key, 1.0)) for label, key in
                  (("alpha", "alpha"), ("beta", "beta"))}
    attributes.update({label: int(test.take(key, False)) for label, key in
                       (("transA", "aTranspose"), ("transB", "bTranspose"))})
    c = test.operand("c")
    inputs = {"A": test.operand("a"), "B": test.operand("b")}
    return {**attributes, "opset": 13}, {**inputs, **({} if c is None else {"C": c})}


def normalization(test):
    x, scale, bias = test.operand("input"), test.operand("scale"), test.operand("bias")
    attributes = {"epsilon": float(test.take("epsilon", 1e-5))}
    if test.name == "layerNormalization":
        axes = test.take("axes", list(range(1, x.ndim)))
        if axes != list(range(x.ndim - len(axes), x.ndim)) or not axes:
            raise Unread("axes that are not the last ones")
        kept = x.shape[x.ndim - len(axes):]
        scale = numpy.ones(kept, x.dtype) if scale is None else scale
        more = {} if bias is None else {"B": bias}
        return {**attributes, "axis": -len(axes), "opset": 17}, {"X": x, "Scale": scale, **more}
    if test.take("layout", "nchw") != "nchw" or test.take("axis", 1) != 1:
        raise Unread("channels behind the places")
    scale = numpy.ones(x.shape[1], x.dtype) if scale is None else scale
    bias = numpy.zeros(x.shape[1], x.dtype) if bias is None else bias
    if test.name == "instanceNormalization":
        return {**attributes, "opset": 6}, {"input": x, "scale": scale, "B": bias}
    return {**attributes, "opset": 15}, {"X": x, "scale": scale, "B": bias,
                                         "input_mean": test.operand("mean"),
                                         "input_var": test.operand("variance")}


def plain(test):
    """Attributes that ONNX has under the same names."""
    standard = {"elu": {"alpha": 1.0}, "leakyRelu": {"alpha": 0.01},
                "hardSigmoid": {"alpha": 0.2, "beta": 0.5}}.get(test.name, {})
    given = {key: test.take(key) for key in ("alpha", "beta", "axis") if key in test.given}
    return {**standard, **given}


READERS = {"clamp": clamp, "cumulativeSum": cumulative, "gemm": gemm,
           **{name: normalization for name in NORMALIZATIONS},
           **{name: arguments_at for name in ("argMin", "argMax")},
           **{name: reduction for name in OTHERS if name.startswith("reduce")}}


def request_of(graph, array, known):
    """Operation, attributes, inputs and the expected output. `known`: the operations that assay
    has, by name, with their inputs and outputs."""
    if len(graph["operators"]) != 1:
        raise Unread("graphs of several operators")
    test = Test(graph, array)
    operation = known[OPERATORS[test.name]]
    formal = [given["name"] for given in operation["inputs"]]
    if test.name in READERS:
        attributes, inputs = READERS[test.name](test)
    else:
        attributes, inputs = plain(test), inputs_of(test, formal[:len(test.order)])
    if test.given:
        raise Unread(f"tests with {sorted(test.given)[0]}")
    if test.name in LOGICAL:
        inputs = {label: value.astype(bool) for label, value in inputs.items()}
    elif test.name == "where":
        inputs[formal[0]] = inputs[formal[0]].astype(bool)
    outputs = test.operator["outputs"]
    expected = array(graph["expectedOutputs"][outputs if isinstance(outputs, str) else outputs[0]])
    if test.name in COMPARISONS | LOGICAL:
        expected = expected.astype(bool)
    elif test.name in ("argMin", "argMax"):
        expected = expected.astype(numpy.int64)
    known_attributes = {given["name"] for given in operation["attributes"]}
    return operation["op"], {k: v for k, v in attributes.items() if k in known_attributes}, \
        inputs, {operation["outputs"][0]: expected}


def is_rounded(attributes):
    """WebNN's are doubles, ONNX's f32: whether one of them is another number there."""
    return any(isinstance(value, float) and float(numpy.float32(value)) != value
               for value in attributes.values())


# ---- tolerances --------------------------------------------------------------


def literal(text, pattern):
    found = re.search(pattern, text)
    if not found:
        return None
    value, wrong, _ = json5.parse(text, start=found.end(), consume_trailing=False)
    return None if wrong else value


class Tolerances:
    """What a file says of its operators, or utils.js for all files."""

    def __init__(self, folder):
        with open(os.path.join(folder, "resources", "utils.js"), encoding="utf-8") as file:
            self.common = literal(file.read(), r"const operatorToleranceDict = (?=\{)")

    def of(self, text, graph, kind):
        operator = graph["operators"][0]
        shape = next(iter(graph["inputs"].values()))["descriptor"]["shape"]
        given = arguments_of(operator)
        if kind not in ("float32", "float16"):
            return {"ulp": 0}
        if operator["name"] == "matmul":
            return {"ulp": 2 * shape[-1]}
        if operator["name"] == "gemm":
            steps = 2 * (shape[0] if given.get("aTranspose") else shape[1])
            adds = "c" in given and given.get("beta") != 0.0
            return {"ulp": steps + (given.get("alpha", 1.0) != 1.0) + adds
                    + (adds and given.get("beta", 1.0) != 1.0)}
        if operator["name"] == "softmax":
            return {"ulp": 3 * shape[given.get("axis", 1)] + 3}
        if operator["name"] == "cumulativeSum":
            return {"ulp": shape[given["axis"]] - 1}
        reduced = re.search(r"value: (?:(getReducedElementCount)\(graphResources\)"
                            r"(?: \* (\d+))?(?: \+ (\d+))?|(\d+)),?\s*\}", text)
        if reduced and reduced[1]:
            axes = given.get("axes", range(len(shape)))
            count = int(numpy.prod([shape[axis] for axis in axes], dtype=numpy.int64))
            return {"ulp": count * int(reduced[2] or 1) + int(reduced[3] or 0)}
        if reduced:
            return {"ulp": int(reduced[4])}
        return self.stated(text, operator["name"], kind)

    def stated(self, text, name, kind):
        found = re.search(r"const toleranceValueDict =\s*\{([^}]*)\}", text)
        if not found:
            common = self.common.get(name, {})
            if kind not in common:
                raise Unread(f"tests of {kind}, which have no tolerance")
            return {"ulp": common[kind]}
        values = dict(re.findall(r"(\w+): ([\d./ ]+)", found[1]))
        metric = re.search(r"metricType: '(ULP|ATOL)'", text)
        if kind not in values or not metric:
            raise Unread(f"tests of {kind}, which have no tolerance")
        above, _, below = values[kind].partition("/")
        value = float(above) / float(below or 1)
        return {"ulp": int(value)} if metric[1] == "ULP" else {"rtol": 0, "atol": value}
