# SPDX-License-Identifier: Apache-2.0
"""StableHLO's programs of one operation that ONNX has with the same values, elementwise ones and
products of two matrices, as requests of that. stablehlo_tests.py reads them."""

import re

from stablehlo_program import STEPS, Call, Program, Unread, constant, type_of

OPERATORS = {
    "abs": "abs", "add": "add", "ceil": "ceil", "cosine": "cos", "divide": "div",
    "exponential": "exp", "floor": "floor", "log": "log", "logistic": "sigmoid",
    "maximum": "max", "minimum": "min", "multiply": "mul", "negate": "neg", "power": "pow",
    "remainder": "mod", "round_nearest_even": "round", "select": "where", "sign": "sign",
    "sine": "sin", "sqrt": "sqrt", "subtract": "sub", "tanh": "tanh", "dot_general": "mat_mul",
}
LOGICAL = {"and": "and", "or": "or", "xor": "xor", "not": "not"}  # of booleans alone
COMPARISONS = {"EQ": "equal", "LT": "less", "LE": "less_or_equal", "GT": "greater",
               "GE": "greater_or_equal"}
NAMES = {f"onnx.{name}" for table in (OPERATORS, LOGICAL, COMPARISONS) for name in table.values()}
ATTRIBUTES = {"onnx.mod": {"fmod": 1}}
CLOSE = {"ulp": 3}  # what check.expect_close allows unless it is told otherwise
ALMOST = 1e-4  # and check.expect_almost_eq


def operator_of(operation, rest, operands):
    booleans = all(operand.dtype == bool for operand in operands)
    if operation == "compare":
        return COMPARISONS.get(re.match(r"\s*(\w+)", rest)[1])
    if operation in LOGICAL:
        return LOGICAL[operation] if booleans else None
    if operation == "dot_general":
        plain = re.search(r"contracting_dims = \[1\] x \[0\]", rest) and "batching" not in rest
        return OPERATORS[operation] if plain and all(o.ndim == 2 for o in operands) else None
    return None if booleans and operation != "select" else OPERATORS.get(operation)


class Operators(Program):
    """A program whose one operation is left as a Call."""

    def step(self, values, target, operation, rest):
        compared = re.match(r"check\.expect_(almost_eq|eq)_const", operation)
        if compared:
            actual = self.take(values, re.search(r"%[\w#]+", rest)[0])
            words = re.search(r"tolerance = ([\d.e+-]+)", rest)
            allowed = {"rtol": 0, "atol": float(words[1]) if words else ALMOST}
            self.checks.append((actual, constant(rest),
                                allowed if compared[1] == "almost_eq" else {}))
            return
        if operation == "custom_call":
            super().step(values, target, operation, rest)
            kind, actual, expected = self.checks.pop()
            if kind not in ("expect_close", "expect_eq"):
                raise Unread(f"check.{kind}")
            self.checks.append((actual, expected, CLOSE if kind == "expect_close" else {}))
            return
        if operation in ("constant", "call"):
            super().step(values, target, operation, rest)
            return
        operands = [self.take(values, word)
                    for word in re.findall(r"%[\w#]+", rest.split(" : ")[0])]
        if any(isinstance(operand, Call) for operand in operands):
            raise Unread("several operations")
        if operation == "convert":
            self.keep(values, target, [STEPS[operation](type_of(rest), *operands)])
            return
        name = operator_of(operation, rest, operands)
        if not name:
            raise Unread("operations that ONNX has not, or with other values")
        self.keep(values, target, [Call(f"onnx.{name}", operands, type_of(rest))])


def joined(text):
    """Lists that go on behind the end of a line, on one."""
    return re.sub(r",\s*\n\s*", ", ", text)


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
    attributes = {key: value for key, value in ATTRIBUTES.get(call.name, {}).items()
                  if call.operands[0].dtype.kind != "b"}
    lines.add(name, call.name, attributes,
              dict(zip(labels, call.operands, strict=False)),
              {operation["outputs"][0]: expected}, **tolerance)
