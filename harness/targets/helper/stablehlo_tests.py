# SPDX-License-Identifier: Apache-2.0
"""StableHLO's test data of random numbers, as lines of JSON for `assay score`. usage:
stablehlo_tests.py FOLDER (a checkout of StableHLO, of which stablehlo/testdata and
stablehlo/tests/interpret are read)

A file of testdata is a program of JAX with its answer. Its main is evaluated here, with the few
operations that bring a seed to a key, up to the call that has an operation here: jax.random's
_threefry_split, _randint or _uniform (written without partitionable), or rng_bit_generator with
THREE_FRY of 64 bits: Threefry2x32-20 of a counter, low word first, that begins at the second word
of the state and runs up; the first word is the key."""

import os
import re
import sys

import numpy
from score_lines import Lines, commit_of

TYPES = {"ui8": "u1", "ui16": "u2", "ui32": "u4", "ui64": "u8", "i8": "i1", "i16": "i2",
         "i32": "i4", "i64": "i8", "f16": "f2", "f32": "f4", "f64": "f8", "i1": "?"}
DTYPES = {"ui8": "u8", "ui16": "u16", "ui32": "u32", "ui64": "u64"}
CALLS = {"_threefry_split": "jax.split", "_randint": "jax.randint", "_uniform": "jax.uniform"}
LINE = re.compile(r"\s*(?:(%[\w:, %]+) = )?\"?([\w.]+)\"?(.*)")
TYPE = re.compile(r"tensor<((?:\d+x)*)([a-z]+\d+)>")
WITHOUT = "programs of operations that have none here"
BEHIND = "programs that go on behind a call of jax.random"
BEFORE = "programs of randint of 8 or 16 bits as JAX drew it before jax_safer_randint"


class Unread(Exception):
    """The program has something that is not evaluated here."""


def type_of(text):
    """Shape and element of the last tensor type in the text."""
    found = TYPE.findall(text)
    if not found or found[-1][1] not in TYPES:
        raise Unread(text)
    return [int(size) for size in found[-1][0].split("x") if size], found[-1][1]


def constant(text):
    shape, element = type_of(text)
    dtype = numpy.dtype(TYPES[element])
    body = re.search(r"dense<(.*)>\s*:", text)[1]
    if body.startswith('"0x'):
        return numpy.frombuffer(bytes.fromhex(body[3:-1]), dtype=dtype.newbyteorder("<")).astype(
            dtype).reshape(shape)
    words = re.findall(r"[^\s,\[\]]+", body)
    if any(word.startswith("0x") for word in words):  # a float by its bits
        raise Unread("hexadecimal elements")
    integers = dtype.kind in "ui"
    values = numpy.array([int(w) if integers else float(w) for w in words], dtype=dtype)
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

    def __init__(self, name, operands, types):
        self.name, self.operands, self.types = name, operands, types


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
            if operation == "return":
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


def add_threefry(lines, name, call, expected, tolerance):
    state = call.operands[0].reshape(-1)
    if expected.dtype != numpy.uint64 or state.dtype != numpy.uint64 or len(state) != 2:
        raise Unread("words of another size")
    counts = state[1] + numpy.arange(expected.size, dtype=numpy.uint64)

    def words(array):
        return array.reshape(-1, 1).view(numpy.uint32) if sys.byteorder == "little" else \
            array.reshape(-1, 1).view(numpy.uint32)[:, ::-1]

    lines.add(name, "threefry", {"words": 2, "width": 32},
              {"counter": words(counts), "key": words(state[:1])[0]},
              {"output": words(numpy.ascontiguousarray(expected))}, **tolerance)


def add(lines, name, call, expected, tolerance):
    if call.name == "threefry":
        add_threefry(lines, name, call, expected, tolerance)
        return
    shape, element = call.types
    attributes = {"impl": "threefry2x32", "partitionable": False}
    inputs = {"key": numpy.ascontiguousarray(call.operands[0])}
    if call.name == "jax.split":
        attributes["shape"] = shape[:-1]
    else:
        attributes.update(shape=shape, dtype=DTYPES.get(element, element))
        inputs["minval"], inputs["maxval"] = (operand.item() for operand in call.operands[1:])
    if call.name == "jax.randint":
        if element in ("i8", "i16", "ui8", "ui16"):
            raise Unread("randint of 8 or 16 bits")
        attributes["x64"] = True
    lines.add(name, call.name, attributes, inputs,
              {"keys" if call.name == "jax.split" else "output": expected}, **tolerance)


def read(lines, name, text):
    if not re.search("|".join(["rng_bit_generator", *(f"@{call}" for call in CALLS)]), text):
        lines.leave(WITHOUT)
        return
    program, taken, why = Program(text), 0, None
    try:
        program.run("main")
        for kind, actual, expected in program.checks:
            if isinstance(actual, Call) and kind in ("expect_eq", "expect_close"):
                # What expect_close allows unless it is told otherwise.
                add(lines, name, actual, expected, {"ulp": 3} if kind == "expect_close" else {})
                taken += 1
    except Unread as unread:
        why = str(unread)
    if not taken:
        lines.leave(BEFORE if why and why.startswith("randint") else BEHIND)


def main(folder):
    root = os.path.join(folder, "stablehlo")
    lines = Lines(f"StableHLO's test data{commit_of(folder)}",
                  ["jax.split", "jax.randint", "jax.uniform", "threefry", "philox", "onnx.range"])
    for kept in ("testdata", os.path.join("tests", "interpret")):
        for name in sorted(os.listdir(os.path.join(root, kept))):
            if not name.endswith(".mlir"):
                continue
            with open(os.path.join(root, kept, name), encoding="utf-8") as file:
                read(lines, name.removesuffix(".mlir"), file.read())
    lines.write()


if __name__ == "__main__":
    main(*sys.argv[1:])
