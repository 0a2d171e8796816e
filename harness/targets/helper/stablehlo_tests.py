# SPDX-License-Identifier: Apache-2.0
"""StableHLO's test data of random numbers, and its programs of one operation that ONNX has, as
lines of JSON for `assay score`.

usage: stablehlo_tests.py FOLDER OPERATIONS   (a checkout of StableHLO, of which stablehlo/testdata,
stablehlo/tests/interpret and stablehlo/tests/math are read, and what `assay list operations
'onnx.*' --json` printed)

A file of testdata is a program of JAX with its answer. Its main is evaluated here, with the few
operations that bring a seed to a key, up to the call that has an operation here: jax.random's
_threefry_split, _randint or _uniform (written without partitionable), or rng_bit_generator with
THREE_FRY of 64 bits: Threefry2x32-20 of a counter, low word first, that begins at the second word
of the state and runs up; the first word is the key."""

import json
import os
import re
import sys

import numpy
import stablehlo_operators
from score_lines import Lines, commit_of
from stablehlo_program import CALLS, Call, Program, Unread

DTYPES = {"ui8": "u8", "ui16": "u16", "ui32": "u32", "ui64": "u64"}
WITHOUT = "programs of operations that have none here"
BEHIND = "programs that go on behind a call of jax.random"
BEFORE = "programs of randint of 8 or 16 bits as JAX drew it before jax_safer_randint"




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


def read_operators(lines, name, text, known):
    for function, call, expected, tolerance in stablehlo_operators.tests_of(text):
        if not isinstance(call, Call):
            lines.leave(WITHOUT)
        elif call.name in known:
            try:
                of = f"{name}-{function}" if function != "main" else name
                stablehlo_operators.add(lines, of, call, expected, tolerance, known)
            except TypeError as why:
                lines.leave(str(why).partition(" (")[0])


def read(lines, name, text, known):
    if not re.search("|".join(["rng_bit_generator", *(f"@{call}" for call in CALLS)]), text):
        read_operators(lines, name, text, known)
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


def main(folder, operations):
    with open(operations, encoding="utf-8") as file:
        known = {line["op"]: line for line in map(json.loads, file)}
    root = os.path.join(folder, "stablehlo")
    lines = Lines(f"StableHLO's test data{commit_of(folder)}",
                  ["jax.split", "jax.randint", "jax.uniform", "threefry", "philox", "onnx.range",
                   *sorted(stablehlo_operators.NAMES & set(known))])
    for kept in ("testdata", os.path.join("tests", "interpret"), os.path.join("tests", "math")):
        for name in sorted(os.listdir(os.path.join(root, kept))):
            if not name.endswith(".mlir"):
                continue
            with open(os.path.join(root, kept, name), encoding="utf-8") as file:
                read(lines, name.removesuffix(".mlir"), file.read(), known)
    lines.write()


if __name__ == "__main__":
    main(*sys.argv[1:])
