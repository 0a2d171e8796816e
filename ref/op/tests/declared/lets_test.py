# SPDX-License-Identifier: Apache-2.0
"""Names under `let`, with parameters and without, `choose`, and attributes and inputs in short:
each gives the bytes of what it stands for, written out, and what is wrong is told with its
place."""

import json
import sys
import time

import yaml

sys.path.insert(0, "harness/tests")
sys.path.insert(0, "ref/op/tests/declared")
from ask import evaluate, tensor  # noqa: E402
from tap import check, finish, skip  # noqa: E402

X = tensor("f32", [[1.5, -2.25, 3.0, 0.125], [4.0, 5.5, -6.0, 7.75]])
HEAD = """operator: parts
attributes:
  axis: {kind: integer, default: -1, minimum: -2, maximum: 1}
  share: {kind: real, default: 0.5}
inputs:
  X: {types: [f32, f64]}
  past: {type: X, optional: true}
outputs: {Y: {type: X, level: bits}}
"""
SHORT = """operator: parts
attributes: {axis: integer -2..1 = -1, share: real = 0.5}
inputs: {X: [f32, f64], past: optional X}
outputs: {Y: {type: X, level: bits}}
"""
# The names, the node with them, and the node written out.
WRITTEN = [
    ("  half: X * share\n", "half - half * half", "X * share - X * share * (X * share)"),
    ("  over(x, a): x / sum(x, a)\n", "over(X * X, axis)", "X * X / sum(X * X, axis)"),
    ("  most(x, a): max(x, a)\n", "most(X, axis) - most(X, 2)", "max(X, axis) - max(X, 2)"),
    ("  of(t, a, b): 'einsum(t, a, b)'\n", 'of("ij,kj->ik", X, X)', 'einsum("ij,kj->ik", X, X)'),
    ("  more(x): x + 1\n  twice(x): more(more(x)) * more(x)\n", "twice(twice(X))",
     "(((X + 1 + 1) * (X + 1)) + 1 + 1) * ((X + 1 + 1) * (X + 1) + 1)"),
    ("  after(x, y): if(present(x), concat(0, x, y), y)\n", "after(past, X) - 1",
     "if(present(past), concat(0, past, X), X) - 1"),
    ("  node: n * 2\n", "node - X", "n * 2 - X"),  # of a node above the place
    ("  axes: '[0, axis]'\n", "choose(axis + 1, sum(X, axes), X, 0 - X)",
     "if(axis + 1 == 0, sum(X, [0, axis]), if(axis + 1 == 1, X, 0 - X))"),
    # 0 and 1 without 1; two numbers; each negated
    ("  rest: 'others([1, 3], rank(X))'\n", "sum(X, rest)", "sum(X, [0])"),
    ("  two: '[1, 0]'\n", "X * count(two) + count([])", "X * 2 + 0"),
    ("  cut: 'item([0, 1, 2], [0, 1])'\n", "pad(X, [0, 1], -cut, cut)",
     "pad(X, [0, 1], [0, -1], [0, 1])"),
]
# Lines 5 and 6 of the declaration, what is said, and where.
REFUSED = [
    ("let: {a: q + 1}", "require: a > 0", "'q'; line 6 uses a", 5, 10),
    ("let: {a: Y + 1}", "require: rank(X) > 0", "nothing uses a", 5, 7),
    ("let: {f(x): x + 1}", "require: rank(X) > f(1) + f(1, 2)", "f takes 1 operands; found 2",
     6, 27),
    ("let: {f(x): x + 1}", "require: rank(X) > f", "f takes 1 operands; found 0", 6, 20),
    ("let: {f(x): 1}", "require: rank(X) > f(1)", "f does not use its parameter x", 5, 7),
    ("let: {f(X): X}", "require: rank(X) > f(1)", "the name X is taken", 5, 9),
    ("let: {sum(x): x}", "require: rank(X) > 0", "sum is a word of the language", 5, 7),
    ("let: {choose(x): x}", "require: rank(X) > 0", "choose is a word of the language", 5, 7),
    ("let: {f(x): f(x)}", "require: rank(X) > f(1)", "f does not stand above this one", 5, 13),
    ("let: {'f(x, x)': x}", "require: rank(X) > f(1, 2)", "x stands here twice", 5, 12),
    ("let: {f(x: x}", "require: rank(X) > f(1)", "expected a name, or NAME(PARAMETER", 5, 7),
    ("let: {f(): 1}", "require: rank(X) > f()", "is no name", 5, 9),
    ("let: {f(x): x) + 1}", "require: rank(X) > f(1)", "should end here; found ')", 5, 14),
    ("let: {half: X / 2}", "require: rank(X) > halv", "did you mean 'half'?", 6, 20),
    ("let: {half(x): x / 2}", "require: rank(X) > halv(1)", "did you mean 'half'?", 6, 20),
    ("require: [rank(X) > 0,", "  'choose(rank(X), 1) > 0']", "choose takes (n, a, b, ...)", 6, 4),
]
SHORTS = [
    ("axis: integer -2..1 = -1", "axis: integral", "kind is one of", 2, 20),
    ("axis: integer -2..1 = -1", "axis: integer 2..1 = -1", "no integer lies in 2..1", 2, 20),
    ("axis: integer -2..1 = -1", "axis: integer = -1 2", "found '2'; expected [required] KIND",
     2, 33),
    ("axis: integer -2..1 = -1", "axis: integer -2..1 = 4", "default", 2, 36),
    ("axis: integer -2..1 = -1", "axis: integer -2..b", "maximum is 'b'", 2, 32),
    ("axis: integer -2..1 = -1", "axis: ''", "kind is one of", 2, 21),
    ("past: optional X", "past: optional X X", "found 'X'; expected [optional] TYPE", 3, 42),
    ("past: optional X", "past: optional Z", "'Z' is no type", 3, 40),
    ("X: [f32, f64]", "X: []", "types is empty", 3, 13),
]


def answer(declaration, attributes=None, past=None):
    inputs = {"X": X, **({"past": past} if past else {})}
    answers, stderr = evaluate([{"op": "parts", "inputs": inputs,
                                 "attributes": attributes or {}}], declaration)
    return answers[0] if answers else {"error": stderr}


def refused(declaration, expected, line, column):
    """What is wrong with how it is refused, or None."""
    start = time.monotonic()
    _, stderr = evaluate([{"op": "parts", "inputs": {"X": X}}], declaration)
    if expected not in stderr or f":{line}:{column}:" not in stderr:
        return f"expected {line}:{column} {expected}; found {stderr}"
    return "it took seconds" if time.monotonic() - start > 5 else None


def main():
    wrong = []
    for lets, use, out in WRITTEN:
        for head in (HEAD, SHORT):
            nodes = "nodes:\n  n: X + 3\n  Y: '%s'\n"
            for attributes in ({}, {"axis": 0}, {"axis": 1}):
                named = answer(head + "let:\n" + lets + nodes % use, attributes, X)
                whole = answer(HEAD + nodes % out, attributes, X)
                if "outputs" not in named or named != whole:
                    wrong.append(f"{use} with {attributes}: {named} and {whole}")
    check(not wrong, f"{len(WRITTEN)} names stand for what they are, in short and in full", wrong)

    written = yaml.safe_load(HEAD)["attributes"]["axis"]
    limits = [answer(head + "nodes: {Y: X * share}\n", {"axis": n}).get("error", {}).get("code")
              for head in (HEAD, SHORT) for n in (written["minimum"] - 1, written["maximum"] + 1)]
    check(limits == ["invalid_argument"] * 4, "a short range is one", limits)
    required = SHORT.replace("share: real = 0.5", "share: required real")
    said = answer(required + "nodes: {Y: X * share}\n")
    check("share" in json.dumps(said.get("error", "")), "what is required is asked for", said)

    base = SHORT + "%s\n%s\nnodes: {Y: X + 0 * share}\n"
    found = [refused(base % rest[:2], *rest[2:]) for rest in REFUSED]
    check(not any(found), f"{len(REFUSED)} names that mean nothing are told with their place",
          [f for f in found if f])
    found = [refused(SHORT.replace(a, b) + "nodes: {Y: X}\n", *rest) for a, b, *rest in SHORTS]
    check(not any(found), f"{len(SHORTS)} short texts that mean nothing are told with their place",
          [f for f in found if f])

    doubling = "let:\n  f0(x): x\n" + "".join(
        f"  f{n}(x): f{n - 1}(f{n - 1}(x))\n" for n in range(1, 14))
    found = refused(SHORT + doubling + "nodes: {Y: f13(X)}\n", "used more than 8192 times", 19, 11)
    check(not found, "names that double names come to an end", found)
    partial = ("choices: {c: {default: a, allowed: {b: {n: X, Y: n}}}}\nforms: {f: {n: X + 0}}\n")
    found = refused(SHORT + "nodes: {n: X * 1, Y: n + 0}\n" + partial,
                    "a form that replaces n replaces Y too", 7, 9)
    check(not found, "a form that replaces half of a reading is refused", found)

    try:
        import jsonschema
    except ModuleNotFoundError:
        skip("the schema takes short texts and parameters, and no others", "no jsonschema")
        finish()
        return
    with open("yaml/schema/operator.schema.json", encoding="utf-8") as file:
        schema = json.load(file)
    taken = []
    for text in (SHORT + "let:\n  f(x, y): x + y\nnodes: {Y: 'f(X, X)'}\n",
                 SHORT.replace("integer -2..1", "integral -2..1") + "nodes: {Y: X}\n",
                 SHORT.replace("optional X", "optional X X") + "nodes: {Y: X}\n",
                 SHORT + "let: {f(: 1}\nnodes: {Y: X}\n"):
        taken.append(jsonschema.Draft202012Validator(schema).is_valid(yaml.safe_load(text)))
    check(taken == [True, False, False, False],
          "the schema takes short texts and parameters, and no others", taken)
    finish()


main()
