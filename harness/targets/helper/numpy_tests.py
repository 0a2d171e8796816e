# SPDX-License-Identifier: Apache-2.0
"""What the tests of the packages numpy and randomgen expect of their generators here, as lines of
JSON for `assay score`. usage: numpy_tests.py numpy|randomgen

Philox and ThreeFry: files of a seed and the first 1,000 words. The key that a seed becomes is the
package's own, which its SeedSequence makes; the first block is that of counter 1. RandomState: the
arrays of test_randomstate.py, whose source is read, not run."""

import ast
import importlib
import os
import sys

import numpy
from score_lines import Lines


def words_of(path):
    with open(path, encoding="utf-8") as file:
        rows = [row.split(",") for row in file if row.strip()]
    return [int(word, 0) for word in rows[0][1:]], [int(row[1], 0) for row in rows[1:]]


def read_numpy(lines, folder):
    for number in (1, 2):
        seed, words = words_of(os.path.join(folder, "data", f"philox-testset-{number}.csv"))
        key = numpy.random.Philox(*seed).state["state"]["key"]
        lines.add(f"philox-testset-{number}", "numpy.philox", {"count": len(words)},
                  {"key": key.astype(numpy.uint64), "counter": numpy.zeros(4, numpy.uint64)},
                  {"output": numpy.array(words, numpy.uint64)})
    with open(os.path.join(folder, "test_randomstate.py"), encoding="utf-8") as file:
        read_random_state(lines, ast.parse(file.read()))


def literal(node):
    """The value of np.array([...]) and the like, or None."""
    try:
        return ast.literal_eval(node.args[0] if isinstance(node, ast.Call) and node.args else node)
    except (ValueError, AttributeError):
        return None


def read_random_state(lines, tree):
    """Tests with `actual = ....randn(...)`, `desired = np.array(...)` and a comparison to
    `decimal` places: |actual - desired| < 1.5 * 10^-decimal."""
    for group in [node for node in tree.body if isinstance(node, ast.ClassDef)]:
        tests = [node for node in group.body if isinstance(node, ast.FunctionDef)]
        seeds = [literal(node.value) for node in group.body if isinstance(node, ast.Assign)
                 and ast.unparse(node.targets[0]) == "seed"]
        for test in tests:
            desired = [literal(node.value) for node in ast.walk(test)
                       if isinstance(node, ast.Assign)
                       and ast.unparse(node.targets[0]) == "desired"]
            actual = [ast.unparse(node.value) for node in ast.walk(test)
                      if isinstance(node, ast.Assign)
                      and ast.unparse(node.targets[0]) == "actual"]
            places = [literal(word.value) for node in ast.walk(test)
                      if isinstance(node, ast.Call) for word in node.keywords
                      if word.arg == "decimal"]
            if not actual or ".randn(" not in actual[0]:
                continue
            if not seeds or not desired or desired[0] is None or not places:
                lines.leave("tests of randn whose expected values are computed")
                continue
            array = numpy.array(desired[0], dtype=numpy.float64).reshape(-1)
            lines.add(f"{group.name}.{test.name}", "numpy.random_state_randn",
                      {"count": len(array)}, {"seed": seeds[0]}, {"output": array},
                      rtol=0, atol=1.5 * 10.0 ** -places[0])


def read_randomgen(lines, folder):
    package = importlib.import_module("randomgen")
    for stem, kind, width in (("philox", "Philox", 64), ("philox4x32", "Philox", 32),
                              ("threefry", "ThreeFry", 64), ("threefry32", "ThreeFry", 32)):
        dtype = numpy.uint64 if width == 64 else numpy.uint32
        for number in (1, 2):
            seed, words = words_of(os.path.join(folder, "data", f"{stem}-testset-{number}.csv"))
            made = getattr(package, kind)(*seed, number=4, width=width)
            key = numpy.array([int(word) for word in made.state["state"]["key"]], dtype)
            counter = numpy.zeros((len(words) // 4, 4), dtype)
            counter[:, 0] = numpy.arange(1, len(counter) + 1)
            lines.add(f"{stem}-testset-{number}", kind.lower(), {"words": 4, "width": width},
                      {"counter": counter, "key": key},
                      {"output": numpy.array(words, dtype).reshape(-1, 4)})


READERS = {"numpy": (read_numpy, "numpy.random.tests", ["numpy.philox", "numpy.philox_random",
                                                        "numpy.random_state_randn"]),
           "randomgen": (read_randomgen, "randomgen.tests", ["philox", "threefry"])}


def main(name):
    reader, tests, operations = READERS[name]
    package = importlib.import_module(name)
    folder = os.path.join(os.path.dirname(package.__file__), *tests.split(".")[1:])
    lines = Lines(f"the tests of the package {name} {package.__version__}", operations)
    reader(lines, folder)
    lines.write()


if __name__ == "__main__":
    main(*sys.argv[1:])
