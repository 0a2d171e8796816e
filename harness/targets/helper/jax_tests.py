# SPDX-License-Identifier: Apache-2.0
"""What JAX's tests/random_test.py expects of jax.random, as lines of JSON for `assay score`.
usage: jax_tests.py FOLDER [--skipped] (a checkout of JAX)

The file is parsed, never run. Taken are the rows of its table RandomValuesCase, and assertions that
hold a call of jax.random, of a key made of a number, to an array. All of them are written for
jax_threefry_partitionable=False. A table whose test skips itself in every configuration is left
out, unless --skipped asks what it would notice."""

import ast
import os
import sys
import zlib

import numpy
from score_lines import Lines, commit_of

OPERATIONS = {name: f"jax.{name}" for name in (
    "bernoulli", "bits", "exponential", "fold_in", "gumbel", "normal", "rademacher", "randint",
    "split", "uniform")}
NAMES = {"uint8": "u8", "uint16": "u16", "uint32": "u32", "uint64": "u64", "int32": "i32",
         "int64": "i64", "float32": "f32"}
KEYS = {"threefry2x32": 1, "rbg": 2}  # how many times the two words of a seed
TOLERANCE = 1e-6                       # of float32, relative and absolute, unless a row says more
NEVER = "rows of a table whose only test skips itself with jax_enable_x64 and without"


class Unread(Exception):
    """An expression that is none of the form."""


def value(node, names):
    """The value of a literal, of np.array and np.uint32 of one, or of a name."""
    if isinstance(node, ast.Name) and node.id in names:
        return value(names[node.id], names)
    text = ast.unparse(node)
    if text == "np.iinfo(np.uint32).max":
        return 2 ** 32 - 1
    if isinstance(node, ast.Call) and ast.unparse(node.func) in ("np.array", "jnp.array"):
        kind = next((word.value for word in node.keywords if word.arg == "dtype"), None)
        return numpy.array(value(node.args[0], names),
                           dtype=dtype_of(kind) if kind is not None else None)
    if isinstance(node, ast.Call) and ast.unparse(node.func) == "np.uint32":
        return numpy.array(value(node.args[0], names), dtype=numpy.uint32)
    if isinstance(node, (ast.List, ast.Tuple)):
        return [value(item, names) for item in node.elts]
    if isinstance(node, ast.Dict):
        return {value(k, names): value(v, names)
                for k, v in zip(node.keys, node.values, strict=True)}
    try:
        return ast.literal_eval(node)
    except ValueError:
        raise Unread(text) from None


def dtype_of(node):
    """"float32" of 'float32', np.float32 and None."""
    text = ast.unparse(node).strip("'\"").removeprefix("np.").removeprefix("jnp.")
    if text not in NAMES:
        raise Unread(f"dtype {text}")
    return text


def key_of(seed, impl="threefry2x32"):
    return numpy.array([seed >> 32, seed & (2 ** 32 - 1)] * KEYS[impl], dtype=numpy.uint32)


def tolerance_of(expected, rtol=None, atol=None):
    if expected.dtype.kind != "f":
        return {}
    return {"rtol": TOLERANCE if rtol is None else rtol,
            "atol": TOLERANCE if atol is None else atol}


# ---- the table ------------------------------------------------------------------------------


def add_row(lines, call, names):
    words = dict(zip(("name", "impl", "shape", "dtype", "params", "expected", "on_x64", "atol",
                      "rtol"), call.args, strict=False))
    words.update({word.arg: word.value for word in call.keywords})
    name, impl = value(words["name"], names), value(words["impl"], names)
    if name not in OPERATIONS or impl not in KEYS:
        lines.leave(f"rows of {name}, which has no operation here")
        return
    expected = value(words["expected"], names)
    attributes = {"impl": impl, "partitionable": False, "shape": value(words["shape"], names)}
    if ast.unparse(words["dtype"]) != "None":
        attributes["dtype"] = NAMES[dtype_of(words["dtype"])]
    if name == "bernoulli":
        expected = expected.astype(bool)
    bounds = {key: value(words[key], names) for key in ("atol", "rtol") if key in words}
    output = {"bits": "bits"}.get(name, "output")
    lines.add(f"{name}-{impl}" + (f"-{attributes['dtype']}" if "dtype" in attributes else ""),
              OPERATIONS[name], attributes,
              {"key": key_of(zlib.adler32((name + impl).encode()), impl),
               **value(words["params"], names)},
              {output: expected}, **tolerance_of(expected, **bounds))


def never_runs(tree):
    """Whether the table's test skips itself where x64 is on, and where it is off."""
    conditions = [ast.unparse(step.test) for node in ast.walk(tree)
                  if isinstance(node, ast.FunctionDef)
                  and node.name == "testRandomDistributionValues"
                  for step in node.body
                  if isinstance(step, ast.If) and "skipTest" in ast.unparse(step.body[0])]
    return any(f"not {condition}" in conditions for condition in conditions)


# ---- assertions -----------------------------------------------------------------------------


def call_of(node, names):
    """Operation, attributes, inputs and name of the output of a call of jax.random."""
    if isinstance(node, ast.Name) and node.id in names:
        return call_of(names[node.id], names)
    if not isinstance(node, ast.Call):
        raise Unread("no call")
    function = ast.unparse(node.func)
    if function in ("random.key_data", "result_to_hex"):
        return call_of(node.args[0], names)
    if function.endswith(".threefry_2x32"):
        key, counter = (value(argument, names) for argument in node.args)
        return "threefry", {"words": 2, "width": 32}, {"counter": counter, "key": key}, "output"
    name = function.removeprefix("random.")
    if function != f"random.{name}" or name not in OPERATIONS:
        raise Unread(function)
    made, rest = node.args[0], node.args[1:]
    if not isinstance(made, ast.Call) or ast.unparse(made.func) != "make_key":
        raise Unread("the key is no number")
    attributes = {"impl": "threefry2x32", "partitionable": False}
    inputs = {"key": key_of(value(made.args[0], names))}
    words = {word.arg: word.value for word in node.keywords}
    if name == "split":
        return OPERATIONS[name], {**attributes, "shape": [value(rest[0], names)]}, inputs, "keys"
    if name == "fold_in":
        del attributes["partitionable"]
        return OPERATIONS[name], attributes, {**inputs, "data": value(rest[0], names)}, "key"
    attributes["shape"] = value(rest[0], names)
    if name == "bits":
        return OPERATIONS[name], {**attributes, "dtype": NAMES[dtype_of(rest[1])]}, inputs, "bits"
    if name == "randint":
        attributes["dtype"] = NAMES[dtype_of(words["dtype"])]
        attributes["x64"] = attributes["dtype"] == "i64"
        return (OPERATIONS[name], attributes,
                {**inputs, "minval": value(rest[1], names), "maxval": value(rest[2], names)},
                "output")
    raise Unread(function)


def expected_of(node, names):
    found = value(node, names)
    if isinstance(found, list) and found and all(isinstance(item, str) for item in found):
        return numpy.array([int(item, 16) for item in found], dtype=numpy.uint32)
    if not isinstance(found, numpy.ndarray):
        raise Unread("no array")
    return found


def add_assertion(lines, test, call, names, count):
    for actual, expected in (call.args[:2], call.args[1::-1]):
        try:
            operation, attributes, inputs, output = call_of(actual, names)
            array = expected_of(expected, names)
        except (Unread, KeyError, IndexError, ValueError):
            continue
        lines.add(f"{test}-{count}", operation, attributes, inputs, {output: array},
                  **tolerance_of(array))
        return count + 1
    return count


def read_test(lines, function):
    """Its statements in order, those for x64 where it asks."""
    names, count = {}, 1

    def walk(steps):
        nonlocal count
        for step in steps:
            if isinstance(step, ast.Assign) and isinstance(step.targets[0], ast.Name):
                names[step.targets[0].id] = step.value
            elif isinstance(step, ast.If) and ast.unparse(step.test) == "config.enable_x64.value":
                walk(step.body)
            elif isinstance(step, ast.With):
                walk(step.body)
            elif (isinstance(step, ast.Expr) and isinstance(step.value, ast.Call)
                  and ast.unparse(step.value.func).startswith("self.assert")
                  and len(step.value.args) >= 2):
                count = add_assertion(lines, function.name, step.value, names, count)

    walk(function.body)


def main(folder, *options):
    with open(os.path.join(folder, "tests", "random_test.py"), encoding="utf-8") as file:
        tree = ast.parse(file.read())
    what = " with its table" if "--skipped" in options else ""
    lines = Lines(f"JAX's random_test.py{what}{commit_of(folder)}",
                  [*OPERATIONS.values(), "threefry"])
    rows = [node for node in ast.walk(tree) if isinstance(node, ast.Call)
            and ast.unparse(node.func) == "RandomValuesCase"]
    if never_runs(tree) and "--skipped" not in options:
        lines.leave(NEVER, len(rows))
        rows = []
    for row in rows:
        add_row(lines, row, {})
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test"):
            read_test(lines, node)
    lines.write()


if __name__ == "__main__":
    main(*sys.argv[1:])
