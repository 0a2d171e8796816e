# SPDX-License-Identifier: Apache-2.0
"""StableHLO's programs of one operation that has one here, as requests of that: its products and
convolutions themselves, and what ONNX has with the same values: elementwise operations, reductions
by one of them, arg max, cumulative sums, conversions. stablehlo_tests.py reads them."""

import re

import numpy
from stablehlo_program import STEPS, TYPES, Call, Program, Unread, constant, type_of

OPERATORS = {
    "abs": "abs", "add": "add", "ceil": "ceil", "cosine": "cos", "divide": "div",
    "exponential": "exp", "floor": "floor", "log": "log", "logistic": "sigmoid",
    "maximum": "max", "minimum": "min", "multiply": "mul", "negate": "neg", "power": "pow",
    "remainder": "mod", "round_nearest_even": "round", "select": "where", "sign": "sign",
    "sine": "sin", "sqrt": "sqrt", "subtract": "sub", "tan": "tan", "tanh": "tanh",
    "clamp": "clip",
    **{f"chlo.{name}": name for name in ("acos", "acosh", "asin", "asinh", "atan", "atanh", "cosh",
                                         "sinh", "tan")},
}
LOGICAL = {"and": "and", "or": "or", "xor": "xor", "not": "not"}  # of booleans alone
COMPARISONS = {"EQ": "equal", "LT": "less", "LE": "less_or_equal", "GT": "greater",
               "GE": "greater_or_equal"}
REDUCTIONS = {"add": ("reduce_sum", 0), "multiply": ("reduce_prod", 1),
              "maximum": ("reduce_max", -numpy.inf), "minimum": ("reduce_min", numpy.inf),
              "or": ("reduce_max", 0), "and": ("reduce_min", 1)}  # and what they begin with
ALONG = {"argmax": "arg_max", "argmin": "arg_min", "cumsum": "cum_sum"}  # functions of JAX
NAMES = {f"onnx.{name}" for table in (OPERATORS, LOGICAL, COMPARISONS, ALONG)
         for name in table.values()}
NAMES |= {f"onnx.{name}" for name, _ in REDUCTIONS.values()}
NAMES |= {"onnx.cast", "stablehlo.dot_general", "stablehlo.convolution"}
# Numbers of ONNX's types, by StableHLO's names.
CASTS = {"f32": 1, "ui8": 2, "i8": 3, "ui16": 4, "i16": 5, "i32": 6, "i64": 7, "i1": 9, "f16": 10,
         "f64": 11, "ui32": 12, "ui64": 13, "bf16": 16}
ATTRIBUTES = {"onnx.mod": {"fmod": 1}}
ALMOST = 1e-4  # what check.expect_almost_eq allows unless it is told otherwise
ALLOWED = {"expect_close": {"ulp": 3}, "expect_almost_eq": {"rtol": 0, "atol": ALMOST},
           "expect_eq": {}}


def operator_of(operation, rest, operands):
    booleans = all(operand.dtype == bool for operand in operands)
    if operation == "compare":
        return COMPARISONS.get(re.match(r"\s*(\w+)", rest)[1])
    if operation in LOGICAL:
        return LOGICAL[operation] if booleans else None
    return None if booleans and operation != "select" else OPERATORS.get(operation)


def whole_numbers(text):
    return [int(word) for word in re.findall(r"-?\d+", text)]


def listed(rest, name):
    """The numbers in brackets behind `NAME =`, flat; None where it is not there."""
    found = re.search(name + r" = \[((?:[^\[\]]|\[[^\[\]]*\])*)\]", rest)
    return whole_numbers(found[1]) if found else None


def dimensions(word):
    """The places of two letters, and those of the numbers in their order."""
    letters = re.findall(r"\w+", word)
    spatial = [letters.index(str(i)) for i in range(len(letters) - 2)]
    return {letter: letters.index(letter) for letter in letters if letter.isalpha()}, spatial


def product(rest, operands):
    """A dot_general as the specification's attributes have it."""
    if any(word in rest for word in ("quant", "?x", "algorithm")):
        raise Unread("products of quantized numbers, or by an algorithm that is not theirs")
    attributes = {}
    for key, word in (("batching_dimensions", "batching_dims"),
                      ("contracting_dimensions", "contracting_dims")):
        found = re.search(word + r" = \[([\d, ]*)\] x \[([\d, ]*)\]", rest)
        for side, numbers in zip(("lhs", "rhs"), found.groups() if found else ()):
            if whole_numbers(numbers):
                attributes[f"{side}_{key}"] = whole_numbers(numbers)
    made = type_of(rest)
    if numpy.dtype(TYPES[made[1]]) != operands[0].dtype:
        attributes["result_type"] = made[1]
    return Call("stablehlo.dot_general", operands, made, attributes)


def convolution(rest, operands):
    if "quant" in rest or "?x" in rest:
        raise Unread("quantized numbers, or sizes that are not known")
    named = re.search(r"dim_numbers = \[([^\]]*)\]x\[([^\]]*)\]->\[([^\]]*)\]", rest)
    (given, places), (kernel, seen), (made, out) = (dimensions(word) for word in named.groups())
    attributes = {
        "input_batch_dimension": given["b"], "input_feature_dimension": given["f"],
        "input_spatial_dimensions": places, "kernel_input_feature_dimension": kernel["i"],
        "kernel_output_feature_dimension": kernel["o"], "kernel_spatial_dimensions": seen,
        "output_batch_dimension": made["b"], "output_feature_dimension": made["f"],
        "output_spatial_dimensions": out}
    for key, word in (("window_strides", "stride"), ("padding", "pad"),
                      ("lhs_dilation", "lhs_dilate"), ("rhs_dilation", "rhs_dilate")):
        numbers = listed(rest, word)
        if numbers:
            attributes[key] = numbers
    for key in ("feature_group_count", "batch_group_count"):
        attributes[key] = int(re.search(key + r" = (\d+)", rest)[1])
    made = type_of(rest)
    if numpy.dtype(TYPES[made[1]]) != operands[0].dtype:
        raise Unread("convolutions whose result has another type")
    return Call("stablehlo.convolution", operands, made, attributes)


def not_stepwise(operand):
    """StableHLO rounds each partial result to the type of the operand, ONNX does not say so."""
    if operand.dtype.kind not in "biu" and operand.dtype.itemsize == 2:
        raise Unread("sums and products of 16 bits, which round each partial result")


def reduction(rest, operands):
    """A reduction by one operation that begins with what changes nothing."""
    found = re.search(r"applies stablehlo\.(\w+) across dimensions = \[([\d, ]*)\]", rest)
    if len(operands) != 2 or not found or found[1] not in REDUCTIONS:
        raise Unread("reductions by more than one operation")
    name, start = REDUCTIONS[found[1]]
    kind = operands[0].dtype
    if found[1] in ("add", "multiply"):
        not_stepwise(operands[0])
    if found[1] in LOGICAL and kind != bool:
        raise Unread("operations that ONNX has not, or with other values")
    if kind == bool:
        start = start > 0
    elif kind.kind in "iu" and not numpy.isfinite(start):
        start = numpy.iinfo(kind).min if start < 0 else numpy.iinfo(kind).max
    if operands[1].reshape(()) != numpy.asarray(start).astype(kind):
        raise Unread("reductions that begin with another number")
    axes = numpy.array(whole_numbers(found[2]), numpy.int64)
    return Call(f"onnx.{name}", [operands[0], axes], type_of(rest), {"keepdims": 0})


def along(name, body, operands, rest):
    """A function of JAX along one axis."""
    if name != "cumsum":
        axis = whole_numbers(re.search(r"across dimensions = \[([\d, ]*)\]", body)[1])[0]
        return Call(f"onnx.{ALONG[name]}", operands, type_of(rest), {"axis": axis, "keepdims": 0})
    not_stepwise(operands[0])
    sizes = whole_numbers(re.search(r"window_dimensions = array<i64: ([\d, ]*)>", body)[1])
    (axis,) = [at for at, size in enumerate(sizes) if size > 1]
    before = listed(body.replace("dense<", "= ").replace("padding = =", "padding ="), "padding")
    return Call("onnx.cum_sum", [operands[0], numpy.array(axis, numpy.int64)], type_of(rest),
                {"exclusive": 0, "reverse": int(before[2 * axis] == 0)})


class Operators(Program):
    """A program whose one operation is left as a Call. What is converted has a value, and a Call
    beside it: that is what a test of it asks for."""

    def __init__(self, text):
        super().__init__(text)
        self.converted = {}

    def keep(self, values, target, results):
        self.converted.pop((id(values), target), None)
        super().keep(values, target, results)

    def asked(self, values, word):
        return self.converted.get((id(values), word)) or self.take(values, word)

    def one_call(self, operation, rest, operands):
        if operation == "dot_general":
            return product(rest, operands)
        if operation == "convolution":
            return convolution(rest, operands)
        if operation == "reduce":
            return reduction(rest, operands)
        name = operator_of(operation, rest, operands)
        if not name:
            raise Unread("operations that ONNX has not, or with other values")
        if name == "clip":
            ends = [numpy.unique(operand) for operand in operands[::2]]
            if any(end.size != 1 for end in ends):
                raise Unread("operations that ONNX has not, or with other values")
            operands = [operands[1], *(end.reshape(()) for end in ends)]
        return Call(f"onnx.{name}", operands, type_of(rest))

    def step(self, values, target, operation, rest):
        compared = re.match(r"check\.expect_(almost_eq|eq)_const", operation)
        if compared:
            actual = self.asked(values, re.search(r"%[\w#]+", rest)[0])
            words = re.search(r"tolerance = ([\d.e+-]+)", rest)
            allowed = {"rtol": 0, "atol": float(words[1]) if words else ALMOST}
            self.checks.append((actual, constant(rest),
                                allowed if compared[1] == "almost_eq" else {}))
            return
        if operation == "check.expect_close":
            actual, expected = re.findall(r"%[\w#]+", rest)[:2]
            ulps = int(re.search(r"max_ulp_difference = (\d+)", rest)[1])
            self.checks.append((self.asked(values, actual), self.take(values, expected),
                                {"ulp": ulps}))
            return
        if operation == "custom_call":
            super().step(values, target, operation, rest)
            kind, _, expected = self.checks.pop()
            actual = self.asked(values, re.search(r"%[\w#]+", rest)[0])
            if kind not in ALLOWED:
                raise Unread(f"check.{kind}")
            self.checks.append((actual, expected, ALLOWED[kind]))
            return
        called = re.match(r" @(\w+?)(?:_\d+)?\(", rest) if operation == "call" else None
        if operation in ("constant", "call") and not (called and called[1] in ALONG):
            super().step(values, target, operation, rest)
            self.converted.pop((id(values), target), None)
            return
        operands = [self.take(values, word)
                    for word in re.findall(r"%[\w#]+", rest.split(" : ")[0])]
        if any(isinstance(operand, Call) for operand in operands):
            raise Unread("several operations")
        if called:
            body = "\n".join(self.functions[re.match(r" @([\w.]+)\(", rest)[1]])
            self.keep(values, target, [along(called[1], body, operands, rest)])
            return
        if operation == "broadcast_in_dim" and operands[0].ndim == 0:
            super().step(values, target, operation, rest)
            return
        if operation == "convert":
            kind = type_of(rest)
            self.keep(values, target, [STEPS[operation](kind, *operands)])
            self.converted[id(values), target] = Call(
                "onnx.cast", operands, kind, {"to": CASTS[kind[1]]})
            return
        self.keep(values, target, [self.one_call(operation, rest, operands)])


REGION = re.compile(  # of a reduction by one operation
    r'"stablehlo\.reduce"\((%\w+), (%\w+)\) \(\{ \^\w+\([^)]*\): '
    r'%\w+ = stablehlo\.(\w+) [^:]*: \S+ '
    r'stablehlo\.return %\w+ : \S+ \}\) \{ dimensions = array<i64: ([\d, ]*)> \}')
GOES_ON = re.compile(r"[:>]|reducer|\w+ = ")


def joined(text):
    """Each operation on a line, and a reduction in its short form."""
    lines, depth = [], 0
    for line in text.splitlines():
        body = line.strip()
        if lines and (depth > 0 or lines[-1].endswith((",", "<")) or GOES_ON.match(body)):
            lines[-1] += " " + body
        else:
            lines.append(body)
            depth = 0
        if not re.match(r"(func\.func|module)\b|//|\}$", lines[-1]):
            depth += sum(body.count(c) for c in "([{") - sum(body.count(c) for c in ")]}")
    return REGION.sub(r"stablehlo.reduce(\1 init: \2) applies stablehlo.\3 across dimensions = "
                      r"[\4]", "\n".join(lines))


def tests_of(text):
    """The calls of each function, with what is expected of them and how nearly."""
    program = Operators(joined(text))
    names = ["main"] if "main" in program.functions else list(program.functions)
    for name in names:
        program.checks = []
        try:
            program.run(name)
            yield from ((name, *check) for check in program.checks)
        except Unread as why:
            yield name, None, None, str(why)


def add(lines, name, call, expected, tolerance, known):
    operation = known[call.name]
    labels = [given["name"] for given in operation["inputs"]]
    attributes = call.attributes | {
        key: value for key, value in ATTRIBUTES.get(call.name, {}).items()
        if call.operands[0].dtype.kind != "b"}
    if call.name in ("onnx.arg_max", "onnx.arg_min"):
        expected = expected.astype(numpy.int64)
    if call.name == "stablehlo.convolution" and expected.dtype == numpy.int64:
        # The operation here has no integers of 64 bits; all of these have few.
        call.operands = [operand.astype(numpy.int32) for operand in call.operands]
        expected = expected.astype(numpy.int32)
    lines.add(name, call.name, attributes,
              dict(zip(labels, call.operands, strict=False)),
              {operation["outputs"][0]: expected}, **tolerance)
