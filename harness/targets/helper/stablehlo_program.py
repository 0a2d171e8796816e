# SPDX-License-Identifier: Apache-2.0
"""Evaluates StableHLO's programs as far as tests need it: constants, calls, and the operations that
bring a seed to a key; a call that has an operation here is left as it is."""

import re

import ml_dtypes
import numpy

TYPES = {"ui8": "u1", "ui16": "u2", "ui32": "u4", "ui64": "u8", "i8": "i1", "i16": "i2",
         "i32": "i4", "i64": "i8", "f16": "f2", "f32": "f4", "f64": "f8", "i1": "?",
         "bf16": ml_dtypes.bfloat16}
CALLS = {"_threefry_split": "jax.split", "_randint": "jax.randint", "_uniform": "jax.uniform"}
LINE = re.compile(r"\s*(?:(%[\w:, %]+) = )?\"?([\w.]+)\"?(.*)")
TYPE = re.compile(r"tensor<((?:\d+x)*)([a-z]+\d+)>")
class Unread(Exception):
    """The program has something that is not evaluated here."""


def type_of(text):
    """Shape and element of the last tensor type in the text."""
    found = TYPE.findall(text)
    if not found or found[-1][1] not in TYPES:
        raise Unread(text)
    return [int(size) for size in found[-1][0].split("x") if size], found[-1][1]


def number(word, dtype):
    if word.startswith("0x") and dtype.kind not in "ui":  # a float by its bits
        return numpy.array(int(word, 16), f"u{dtype.itemsize}").view(dtype)[()]
    if dtype.kind == "b":
        return word == "true"
    return int(word, 0) if dtype.kind in "ui" else float(word)


def constant(text):
    shape, element = type_of(text)
    if element == "i1" and '"0x' in text:
        raise Unread("packed booleans")
    dtype = numpy.dtype(TYPES[element])
    body = re.search(r"dense<(.*)>\s*:", text)[1]
    if body.startswith('"0x'):
        return numpy.frombuffer(bytes.fromhex(body[3:-1]), dtype=dtype.newbyteorder("<")).astype(
            dtype).reshape(shape)
    words = re.findall(r"[^\s,\[\]]+", body)
    values = numpy.array([number(word, dtype) for word in words], dtype=dtype)
    return numpy.full(shape, values[0]) if len(values) == 1 else values.reshape(shape)


def functions_of(text):
    """The lines of each function by its name."""
    functions, lines = {}, None
    for line in text.splitlines():
        named = re.match(r"\s*func\.func (?:public |private )?@([\w.]+)\(", line)
        if named:
            lines = functions[named[1]] = []
        elif lines is not None:
            lines.append(line)
    return functions


class Call:
    """A call that has an operation here, and what it was given."""

    def __init__(self, name, operands, types, attributes=None):
        self.name, self.operands, self.types = name, operands, types
        self.attributes = attributes or {}


STEPS = {
    "shift_right_logical": lambda t, a, b: a >> b, "and": lambda t, a, b: a & b,
    "convert": lambda t, a: a.astype(TYPES[t[1]]),
    "broadcast_in_dim": lambda t, a: numpy.broadcast_to(a, t[0]),
    "reshape": lambda t, a: a.reshape(t[0]),
    "concatenate": lambda t, *parts: numpy.concatenate(parts),
    "bitcast_convert": lambda t, a: numpy.ascontiguousarray(a).view(TYPES[t[1]]).reshape(t[0]),
}


class Program:
    def __init__(self, text):
        self.functions, self.checks = functions_of(text), []

    def run(self, name, arguments=()):
        """The values that the function returns."""
        values = {f"%arg{i}": value for i, value in enumerate(arguments)}
        for line in self.functions.get(name, ()):
            found = LINE.match(line)
            if not found or line.strip() in ("", "}"):
                continue
            target, operation, rest = found.groups()
            if operation in ("return", "func.return"):
                return [self.take(values, word) for word in re.findall(r"%[\w#]+",
                                                                       rest.split(" : ")[0])]
            self.step(values, target, operation.removeprefix("stablehlo.").removeprefix("func."),
                      rest)
        raise Unread(f"{name} does not return")

    @staticmethod
    def take(values, word):
        if word not in values:
            raise Unread(word)
        return values[word]

    def step(self, values, target, operation, rest):
        if operation == "constant":
            values[target] = constant(rest)
            return
        operands = [self.take(values, word)
                    for word in re.findall(r"%[\w#]+", rest.split(" : ")[0])]
        if operation == "custom_call":
            kind = re.search(r"@check\.(\w+)\(", rest)
            if not kind:
                raise Unread(rest)
            self.checks.append((kind[1], *operands[:2]))
            return
        if operation == "call":
            name = re.match(r" @([\w.]+)\(", rest)
            if not name:
                raise Unread(f"call{rest}")
            results = ([Call(CALLS[name[1]], operands, type_of(rest))] if name[1] in CALLS
                       else self.run(name[1], operands))
        elif operation == "rng_bit_generator":
            results = [None, Call("threefry", operands, type_of(rest))]
            if "THREE_FRY" not in rest:
                raise Unread("another generator")
        elif any(isinstance(operand, Call) for operand in operands):
            raise Unread(f"{operation} of a call")
        elif any(operand is None for operand in operands):
            results = [None]  # made of the next state, which has no operation here
        elif operation in STEPS:
            results = [STEPS[operation](type_of(rest), *operands)]
        else:
            raise Unread(operation)
        self.keep(values, target, results)

    @staticmethod
    def keep(values, target, results):
        names = target.split(", ")
        if len(names) == 1 and ":" in names[0]:
            stem = names[0].split(":")[0]
            names = [f"{stem}#{i}" for i in range(len(results))]
        values.update(zip(names, results, strict=True))
