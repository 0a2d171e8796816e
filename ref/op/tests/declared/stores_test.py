# SPDX-License-Identifier: Apache-2.0
"""What storing makes of intervals: types without infinities, integers that wrap or saturate, truth
values, and NaN that nothing moves. Drawn ones hold their own golden values."""

import os
import random
import secrets
import sys

sys.path.insert(0, "harness/tests")
sys.path.insert(0, "ref/op/tests/declared")
from ask import evaluate  # noqa: E402
from tap import check, finish  # noqa: E402

FULL = os.environ.get("ASSAY_FULL") == "1"
SEED = int(os.environ.get("ASSAY_SEED", secrets.randbits(32)))
NAN, INF = "nan", "inf"

# Nodes, the type of the output, that of X, X, and the ends that follow by hand: {value: [l, u]}.
KNOWN = [
    ("Y: X * 1.1", "f8e4m3", "f32", [(410, "7e", "7e"), (430, "7f", "7f"), (-500, "7f", "7f")]),
    ("Y: {is: X * 1.1, overflow: saturate}", "f8e4m3", "f32",
     [(430, "7e", "7e"), (-500, "fe", "fe"), (NAN, "7f", "7f"), (INF, "7e", "7e")]),
    ("Y: {is: X * 1.1, overflow: saturate}", "f8e5m2", "f32",
     [(56000, "7b", "7b"), ("-inf", "fb", "fb")]),
    # a node of 8 bits may be kept wide; beyond 448 it may be a NaN
    ("n: {type: f8e4m3, is: X * 1.0625}\n  Y: n + 1", "f32", "f32",
     [(16, "41880000", "41900000"), (17, "41980000", "41988000"),
      (500, "ff800000", "7f800000")]),
    ("n: {type: f8e4m3, stored: true, is: X * 1.0625}\n  Y: n + 1", "f32", "f32",
     [(17, "41980000", "41980000"), (500, "7fc00000", "7fc00000")]),
    # nothing is known of what may be 1 / 0: from the least to the largest number and NaN
    ("n: {type: f32, is: X * 0.1}\n  Y: 1 / (n - 0.1)", "f8e4m3", "f32", [(1, "fe", "7e")]),
    ("Y: {is: X * 2, overflow: wrap}", "i8", "i32", [(100, "c8", "c8"), (-65, "7e", "7e")]),
    ("Y: {is: X * 1.5, overflow: wrap}", "u8", "u8", [(100, "96", "96"), (255, "7e", "7e")]),
    ("Y: {is: X * 0.5, overflow: saturate}", "i8", "f32",
     [(300, "7f", "7f"), (-300, "80", "80"), (5, "02", "02"), (INF, "7f", "7f")]),
    ("Y: {is: 'sum(concat(0, X, X), 0)', overflow: wrap}", "i32", "i32",
     [(2147483647, "fffffffe", "fffffffe")]),
    ("Y: {is: X * 3, overflow: wrap}", "i64", "i64",
     [(9007199254740993, "0060000000000003", "0060000000000003"),
      (3074457345618258603, "8000000000000001", "8000000000000001")]),
    ("Y: {is: X * 200, overflow: wrap}", "bool", "f32", [(1, "01", "01"), (INF, "01", "01")]),
    # -inf saturates, so that the difference is no NaN
    ("n: {type: f32, stored: true, overflow: saturate, is: X}\n  Y: n - X", "f32", "f32",
     [("-inf", "7f800000", "7f800000")]),
    ("Y: X * 0.3", "bool", "f32", [(1, "01", "01"), (0, "00", "00"), (-2, "01", "01")]),
    ("Y: X * 1.1 + 0.3", "f32", "f32", [(NAN, "7fc00000", "7fc00000"),
                                        (INF, "7f800000", "7f800000")]),
    ("Y: X / 1.1", "f32", "f32", [(NAN, "7fc00000", "7fc00000")]),
    ("Y: exp(X * 1.1)", "f32", "f32", [(NAN, "7fc00000", "7fc00000"),
                                       ("-inf", "00000000", "00000000")]),
]


def declared(nodes, kind, given):
    return (f"operator: storing\ninputs: {{X: {{types: [{given}]}}}}\n"
            f"outputs: {{Y: {{type: {kind}, level: bound}}}}\nnodes:\n  {nodes}\n")


def asked(nodes, kind, given, values):
    requests = [{"op": "storing", "inputs": {"X": {"dtype": given, "shape": [1], "data": [x]}}}
                for x in values]
    return evaluate(requests, declared(nodes, kind, given), options=["--bounds"])


def known():
    wrong = []
    for nodes, kind, given, rows in KNOWN:
        answers, stderr = asked(nodes, kind, given, [row[0] for row in rows])
        for (x, low, high), answer in zip(rows, answers):
            of = answer.get("outputs", {}).get("Y", {})
            if of.get("lower") != [low] or of.get("upper") != [high]:
                wrong.append(f"{nodes} of {x}: expected [{low}, {high}], got {of or answer}")
        if len(answers) != len(rows):
            wrong.append(f"{nodes}: {stderr}")
    check(not wrong, f"{len(KNOWN)} ways of storing give the ends that follow by hand", wrong)


FLOATS = {"f8e4m3": (8, 4), "f8e5m2": (8, 3), "f16": (16, 11), "bf16": (16, 8), "f32": (32, 24)}


def number_of(kind, bits):
    """A value; None for NaN."""
    if kind == "bool":
        return bits
    if kind not in FLOATS:
        width = int(kind[1:])
        return bits - (1 << width) if kind[0] == "i" and bits >> (width - 1) else bits
    width, precision = FLOATS[kind]
    sign, magnitude = bits >> (width - 1), bits & ((1 << (width - 1)) - 1)
    fraction = magnitude & ((1 << (precision - 1)) - 1)
    exponent = magnitude >> (precision - 1)
    last = (1 << (width - precision)) - 1
    bias = last // 2
    if kind == "f8e4m3":
        if magnitude == 0x7f:
            return None
    elif exponent == last:
        return None if fraction else float("-inf" if sign else "inf")
    value = (fraction + (1 << (precision - 1) if exponent else 0)) * \
        2.0 ** (max(exponent, 1) - bias - precision + 1)
    return -value if sign else value


def holds(kind, low, high, bits):
    low, high, x = (number_of(kind, int(b, 16)) for b in (low, high, bits))
    if low is None or high is None:
        return x is None
    everything = low == -high and high == (448 if kind == "f8e4m3" else float("inf"))
    return everything and kind in FLOATS or (x is not None and low <= x <= high)


EXPRESSIONS = ["X * 1.1", "X", "X * X", "n * 1.5 - X", "exp(n)", "n / 3", "floor(n) * 2",
               "select(n < X, n, 2 * X)", "sum(concat(0, X, n, n), 0)", "max(n, X) * 100",
               "n - X", "tanh(n) * 1000", "1 / (n - 2)", "abs(n) + 0.5"]


def limited(x):
    """A whole number of 32 bits."""
    return max(-1 << 31, min((1 << 31) - 1, int(x)))


def drawn(total):
    """Of every type, overflow and a few expressions: the golden value lies in the interval."""
    rng, wrong, verdicts = random.Random(SEED), [], 0
    kinds = [*FLOATS, "i8", "u8", "i16", "i32", "u32", "i64", "bool"]
    for _ in range(total):
        kind, inner = rng.choice(kinds), rng.choice([k for k in kinds if k != "bool"])
        given = rng.choice(("f16", "f32", "i32", "u8"))
        overflow = rng.choice(("ieee", "saturate", "wrap"))
        nodes = (f"n: {{type: {inner}, is: {rng.choice(('X', 'X * 1.1', 'X * 3'))}, "
                 f"overflow: {rng.choice(('ieee', 'saturate', 'wrap'))}, "
                 f"stored: {rng.choice(('true', 'false'))}}}\n"
                 f"  Y: {{is: '{rng.choice(EXPRESSIONS)}', overflow: {overflow}}}")
        whole = given in ("i32", "u8")
        values = [rng.choice(("nan", "inf", "-inf")) if not whole and rng.random() < 0.1 else
                  rng.randint(0, 255) if given == "u8" else
                  limited(rng.gauss(0, 1) * 10 ** rng.uniform(0, 9)) if whole else
                  rng.gauss(0, 1) * 10 ** rng.uniform(-3, 4) for _ in range(12)]
        answers, stderr = asked(nodes, kind, given, values)
        if len(answers) != len(values):
            wrong.append(f"{nodes} of {given} as {kind}: {stderr}")
        for x, answer in zip(values, answers):
            if "cannot be decided" in str(answer):
                continue
            of = answer.get("outputs", {}).get("Y")
            verdicts += 1
            if not of or not holds(kind, of["lower"][0], of["upper"][0], of["bits"][0]):
                wrong.append(f"seed {SEED}: {nodes} of {given} {x} as {kind}: {answer}")
    check(not wrong and verdicts > 6 * total,
          f"{verdicts} drawn values of stores lie in their own intervals", wrong[:8])


def main():
    print(f"# seed {SEED}")
    known()
    drawn(3000 if FULL else 60)
    finish()


main()
