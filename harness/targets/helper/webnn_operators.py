# SPDX-License-Identifier: Apache-2.0
"""WebNN's conformance files of operators that ONNX has with the same values: elementwise ones,
activations, reductions, products, normalisations, convolution and pooling, casts and quantisation.
webnn_tests.py reads them. Channels come first in ONNX; what has them last in WebNN is the same with
its axes in another order."""

import math
import os
import re

import json5
import numpy

WINDOWS = {"conv2d": "conv", "averagePool2d": "average_pool", "l2Pool2d": "lp_pool",
           "maxPool2d": "max_pool"}
SAME = ["abs", "add", "ceil", "cos", "div", "equal", "erf", "exp", "floor", "greater", "log",
        "mul", "neg", "pow", "reciprocal", "relu", "sigmoid", "sign", "sin", "softplus",
        "softsign", "sqrt", "sub", "tan", "tanh", "max", "min", "where", "elu", "gelu", "gemm"]
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
    "reduceSumSquare": "reduce_sum_square", "cast": "cast", "quantizeLinear": "quantize_linear",
    "dequantizeLinear": "dequantize_linear", **WINDOWS,
}
OPERATORS = {**{name: f"onnx.{name}" for name in SAME},
             **{name: f"onnx.{other}" for name, other in OTHERS.items()}}
COMPARISONS = {"equal", "greater", "greaterOrEqual", "lesser", "lesserOrEqual"}
LOGICAL = {"logicalAnd", "logicalOr", "logicalXor", "logicalNot"}
NORMALIZATIONS = {"batchNormalization", "instanceNormalization", "layerNormalization"}
FILTERS = {"oihw": (0, 1, 2, 3), "hwio": (3, 2, 0, 1), "ohwi": (0, 3, 1, 2), "ihwo": (3, 0, 1, 2)}
CAST_TO = {"float32": 1, "uint8": 2, "int8": 3, "int32": 6, "int64": 7, "float16": 10,
           "uint32": 12, "uint64": 13, "uint4": 21, "int4": 22}


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
        self.axes = None  # in which order those of the output stand in ONNX's

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
        if not axes:
            raise Unread("normalizations over no axis")
        test.axes = [k for k in range(x.ndim) if k not in axes] + axes
        x = x.transpose(test.axes)
        scale = numpy.ones(x.shape[-len(axes):], x.dtype) if scale is None else scale
        more = {} if bias is None else {"B": bias}
        return {**attributes, "axis": -len(axes), "opset": 17}, {"X": x, "Scale": scale, **more}
    axis = test.take("axis", 1)
    last = test.take("layout", "nchw") == "nhwc" or axis == x.ndim - 1
    if not last and axis != 1:
        raise Unread("channels among the places")
    if last:
        x = to_channels_first(test, x)
    scale = numpy.ones(x.shape[1], x.dtype) if scale is None else scale
    bias = numpy.zeros(x.shape[1], x.dtype) if bias is None else bias
    if test.name == "instanceNormalization":
        return {**attributes, "opset": 22}, {"input": x, "scale": scale, "B": bias}
    return {**attributes, "opset": 15}, {"X": x, "scale": scale, "B": bias,
                                         "input_mean": test.operand("mean"),
                                         "input_var": test.operand("variance")}


def to_channels_first(test, x):
    test.axes = [0, x.ndim - 1, *range(1, x.ndim - 1)]
    return x.transpose(test.axes)


def sliding(test):
    """Attributes that both have. WebNN's pads stand axis by axis."""
    attributes = {name: test.take(name) for name in ("strides", "dilations") if name in test.given}
    if "padding" in test.given:
        top, bottom, left, right = test.take("padding")
        attributes["pads"] = [top, left, bottom, right]
    return {**attributes, "opset": 22}


def conv2d(test):
    x, kernel, bias = test.operand("input"), test.operand("filter"), test.operand("bias")
    kernel = kernel.transpose(FILTERS[test.take("filterLayout", "oihw")])
    if test.take("inputLayout", "nchw") == "nhwc":
        x = to_channels_first(test, x)
    attributes = {**sliding(test), "group": test.take("groups", 1)}
    return attributes, {"X": x, "W": kernel, **({} if bias is None else {"B": bias})}


def pool(test):
    x = test.operand("input")
    if test.take("layout", "nchw") == "nhwc":
        x = to_channels_first(test, x)
    kernel = test.take("windowDimensions", list(x.shape[2:]))
    attributes = {"kernel_shape": kernel, **sliding(test)}
    sizes, rounding = test.take("outputSizes"), test.take("roundingType", "floor")
    if test.name == "l2Pool2d":
        attributes["p"] = 2
    pads, steps = attributes.get("pads", [0] * 4), attributes.get("strides", [1, 1])
    spans = [(k - 1) * d for k, d in zip(kernel, attributes.get("dilations", [1, 1]), strict=True)]
    floor = [(n + pads[i] + pads[i + 2] - spans[i] - 1) // steps[i] + 1
             for i, n in enumerate(x.shape[2:])]
    if (sizes != floor) if sizes else rounding == "ceil":
        attributes["ceil_mode"] = 1
    return attributes, {"X": x}


def window_ulps(name, graph, given):
    """Of a convolution two for each product of a sum; of a mean one for each element, and two."""
    shapes = {key: numpy.array(value["descriptor"]["shape"]) for key, value in
              graph["inputs"].items()}
    if name == "conv2d":
        kernel = shapes[given["filter"]]
        maps = kernel[FILTERS[given.get("filterLayout", "oihw")][0]]
        return int(2 * math.prod(kernel) // maps)
    if name == "maxPool2d":
        return 0
    places = shapes[given["input"]][1:3] if given.get("layout") == "nhwc" else \
        shapes[given["input"]][2:]
    return int(math.prod(given.get("windowDimensions", places)) + 2)


def cast(test):
    return {"to": CAST_TO[test.take("type")], "opset": 21}, inputs_of(test, ["input"])


def quantization(test):
    """One scale for all, one for each place of an axis, or one for each block along an axis."""
    letter = "y" if test.name == "quantizeLinear" else "x"
    labels = ["x", f"{letter}_scale", f"{letter}_zero_point"][:len(test.order)]
    x, *scales = (values := inputs_of(test, labels)).values()
    sizes = (1,) * (x.ndim - scales[0].ndim) + scales[0].shape
    kept = [k for k, n in enumerate(sizes) if n != 1]
    if not kept:
        return {"opset": 21}, {**values, **{k: v.reshape(()) for k, v in
                                            zip(labels[1:], scales, strict=True)}}
    if len(kept) == 1 and sizes[kept[0]] == x.shape[kept[0]]:
        return {"axis": kept[0], "opset": 21}, {**values, **{
            k: v.reshape(-1) for k, v in zip(labels[1:], scales, strict=True)}}
    ratio = [n // s for n, s in zip(x.shape, sizes, strict=True)]
    axis = ratio.index(max(ratio))
    for label, value in zip(labels[1:], scales, strict=True):
        value = value.reshape(sizes)
        for k, times in enumerate(ratio):
            value = value if k == axis else numpy.repeat(value, times, k)
        values[label] = value
    return {"axis": axis, "block_size": ratio[axis], "opset": 21}, values


def plain(test):
    """Attributes that ONNX has under the same names."""
    standard = {"elu": {"alpha": 1.0}, "leakyRelu": {"alpha": 0.01},
                "hardSigmoid": {"alpha": 0.2, "beta": 0.5}}.get(test.name, {})
    given = {key: test.take(key) for key in ("alpha", "beta", "axis") if key in test.given}
    return {**standard, **given}


READERS = {"clamp": clamp, "cumulativeSum": cumulative, "gemm": gemm, "cast": cast,
           "quantizeLinear": quantization, "dequantizeLinear": quantization,
           **{name: conv2d if name == "conv2d" else pool for name in WINDOWS},
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
    if test.axes:
        expected = expected.transpose(test.axes)
    known_attributes = {given["name"] for given in operation["attributes"]}
    return operation["op"], {k: v for k, v in attributes.items() if k in known_attributes}, \
        inputs, {operation["outputs"][0]: expected}


def is_rounded(attributes):
    """WebNN's are doubles, ONNX's f32: whether one of them is another number there."""
    return any(isinstance(value, float) and float(numpy.float32(value)) != value
               for value in attributes.values())


# ---- tolerances --------------------------------------------------------------


def literal(text, pattern):
    text = re.sub(r"(?<=\d)n(?=\s*[,\]])", "", text)  # of a BigInt, which JSON5 has not
    found = re.search(pattern, text)
    if not found:
        return None
    value, wrong, _ = json5.parse(text, start=found.end(), consume_trailing=False)
    return None if wrong else value


class Tolerances:
    """What a file says of its operators, or utils.js for all files."""

    def __init__(self, folder):
        with open(os.path.join(folder, "resources", "utils.js"), encoding="utf-8") as file:
            text = file.read()
        self.common = literal(text, r"const operatorToleranceDict = (?=\{)")
        self.instance = literal(text, r"const getInstanceNormPrecisionTolerance[^{]*\{[^{]*"
                                      r"const toleranceValueDict = (?=\{)")

    def of(self, text, graph, kind):
        operator = graph["operators"][0]
        shape = next(iter(graph["inputs"].values()))["descriptor"]["shape"]
        given = arguments_of(operator)
        if operator["name"] == "quantizeLinear":  # of whole numbers it is their distance
            return {"rtol": 0, "atol": self.stated(text, operator["name"], kind)["ulp"]}
        if kind not in ("float32", "float16"):
            return {"ulp": 0}
        if operator["name"] in WINDOWS:
            return {"ulp": window_ulps(operator["name"], graph, given)}
        if operator["name"] == "instanceNormalization" and self.instance:
            return {"ulp": self.instance[kind]}
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
