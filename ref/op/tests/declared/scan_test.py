# SPDX-License-Identifier: Apache-2.0
"""Scans: drawn recurrences against a second model, step by step; bounds of one step hold the real
value and what conforming implementations give; beyond one step an element is exact or anything;
and what is wrong is told with its place. ASSAY_SEED repeats a run."""

import os
import random
import secrets
import sys
from fractions import Fraction as F

sys.path.insert(0, "harness/tests")
sys.path.insert(0, "ref/op/tests")
sys.path.insert(0, "ref/op/tests/declared")
import declared_model as m  # noqa: E402
from ask import evaluate  # noqa: E402
from tap import check, finish  # noqa: E402

FULL = os.environ.get("ASSAY_FULL") == "1"
SEED = int(os.environ.get("ASSAY_SEED", secrets.randbits(32)))
HEAD = """operator: drawn
inputs: {X: [f16, f32, f64], W: X, start: [f16, f32, f64]}
outputs: {Y: {type: X, level: bound}, last: {type: X, level: bound}}
nodes:
"""
# Two states, of which the first looks at the second as it was; a step sees part of X.
WALK = HEAD + """  halves: X * 0.5
  scan:
    steps: size(halves, 0)
    nodes:
      a: tanh(before(S, start)) + step(halves)
      S: {sums}
      T: {type: X, is: 'S * before(T, start) - step(X)'}
      o: a + before(T, start) / 4
  Y: steps(o) + 1
  last: S - T
"""
SUMS = {"product": "a - einsum('ij,j->i', W, before(S, start))",
        "plain": "a * step(X) - before(S, start)",
        "sum": "a + sum(step(X) * before(S, start), [0])"}


def draw(rng, shape, whole):
    """Elements of a tensor: numbers of f32, or small whole ones."""
    count = 1
    for n in shape:
        count *= n
    values = [F(rng.randint(-3, 3)) if whole else
              m.decode("f32", m.encode("f32", F(rng.randint(-(1 << 20), 1 << 20), 1 << 19)))
              for _ in range(count)]
    width = m.WIDTH["f32"] // 4
    return {"dtype": "f32", "shape": list(shape),
            "bits": [f"{m.encode('f32', x):0{width}x}" for x in values]}, values


def walk(kind, steps, n, x, w, start):
    """(Y, last) under m.HOW: each node of each step stored once."""
    def node(values, of="f32"):
        m.HOW[0].kind = of
        return [m.HOW[0].node(of, v) for v in values]
    operation, dot, total = m.HOW[0].operation, m.HOW[0].dot, m.HOW[0].total
    m.HOW[0].kind = "f32"
    halves = node([operation(v / 2) for v in x])
    s, t, rows = list(start), list(start), []
    for k in range(steps):
        here, half = x[k * n:k * n + n], halves[k * n:k * n + n]
        m.HOW[0].kind = "f32"
        a = node([operation(operation(m.UNARY["tanh"](v), "tanh") + h) for v, h in zip(s, half)])
        if kind == "product":
            new = [operation(a[i] - dot([(w[i * n + j], s[j]) for j in range(n)]))
                   for i in range(n)]
        elif kind == "sum":
            all_of = total([operation(p * q) for p, q in zip(here, s)])
            new = [operation(v + all_of) for v in a]
        else:
            new = [operation(operation(v * h) - q) for v, h, q in zip(a, here, s)]
        new = node(new)
        later = node([operation(operation(p * q) - h) for p, q, h in zip(new, t, here)])
        rows += node([operation(v + operation(q / 4)) for v, q in zip(a, t)])
        s, t = new, later
    m.HOW[0].kind = "f32"
    return ([m.Exactly().node("f32", operation(v + 1)) for v in rows],
            [m.Exactly().node("f32", operation(p - q)) for p, q in zip(s, t)])


def against_model():
    rng = random.Random(SEED)
    wrong = narrow = held = 0
    for kind, sums in SUMS.items():
        requests, drawn = [], []
        for k in range(60 if FULL else 8):
            steps, n = 1 if k % 2 else rng.randint(2, 4), rng.randint(1, 3)
            x, w, start = (draw(rng, s, False) for s in ((steps, n), (n, n), (n,)))
            requests.append({"op": "drawn", "inputs": {"X": x[0], "W": w[0], "start": start[0]}})
            drawn.append((kind, steps, n, x[1], w[1], start[1]))
        answers, said = evaluate(requests, WALK.replace("{sums}", sums), options=["--bounds"])
        check(len(answers) == len(requests) and not said, f"{kind}: all are answered", said)
        for of, answer in zip(drawn, answers):
            m.HOW[0] = m.Exactly()
            for name, values in zip(("Y", "last"), walk(*of)):
                bits = [f"{m.encode('f32', v):08x}" for v in values]
                wrong += bits != answer["outputs"][name]["bits"] and any(values)
            for _ in range(4):
                m.HOW[0] = m.Conforming(rng)
                for name, values in zip(("Y", "last"), walk(*of)):
                    out = answer["outputs"][name]
                    for v, low, high in zip(values, out["lower"], out["upper"]):
                        if of[1] > 1:
                            narrow += (low, high) != ("ff800000", "7f800000")
                        elif low == "ff800000" or not (m.decode("f32", int(low, 16)) <= v <=
                                                       m.decode("f32", int(high, 16))):
                            narrow += 1
                        else:
                            held += 1
    m.HOW[0] = m.Exactly()
    check(not wrong, "drawn scans have the second model's bits, step by step")
    check(not narrow and held > 100, "what is drawn as conforming lies inside the bounds of one "
          "step; beyond one step what is not exact may be anything")


def exact_steps():
    """Whole numbers: every step has a point."""
    declaration = HEAD + """  scan:
    steps: size(X, 0)
    nodes:
      S: einsum('ij,j->i', W, before(S, start)) + step(X)
  Y: steps(S)
  last: S
"""
    rng = random.Random(SEED + 1)
    x, w, start = (draw(rng, s, True) for s in ((4, 2), (2, 2), (2,)))
    answers, _ = evaluate([{"op": "drawn", "inputs": {"X": x[0], "W": w[0], "start": start[0]}}],
                          declaration, options=["--bounds"])
    s, rows = list(start[1]), []
    for k in range(4):
        s = [sum(w[1][2 * i + j] * s[j] for j in range(2)) + x[1][2 * k + i] for i in range(2)]
        rows += s
    for name, values in (("Y", rows), ("last", s)):
        out, bits = answers[0]["outputs"][name], [f"{m.encode('f32', v):08x}" for v in values]
        check(bits == out["bits"] == out["lower"] == out["upper"],
              f"{name} of whole numbers is exact at every step")


def back_again():
    """A scan back over the steps of one of whole numbers: what a node was then, and before that."""
    declaration = HEAD + """  scan:
    steps: size(X, 0)
    nodes:
      S: 2 * before(S, start) + step(X)
  reverse_scan:
    nodes:
      T: before(R, W) - step(S) + 4 * before(S, start)
      R: T + step(X) * S
  Y: steps(R)
  last: R + S
"""
    rng = random.Random(SEED + 2)
    x, w, start = (draw(rng, s, True) for s in ((4, 2), (2,), (2,)))
    answers, _ = evaluate([{"op": "drawn", "inputs": {"X": x[0], "W": w[0], "start": start[0]}}],
                          declaration, options=["--bounds"])
    states, r, rows = [start[1]], w[1], []
    for k in range(4):
        states.append([2 * s + v for s, v in zip(states[-1], x[1][2 * k:])])
    for k in reversed(range(4)):
        r = [v - states[k + 1][i] + 4 * states[k][i] + x[1][2 * k + i] * states[4][i]
             for i, v in enumerate(r)]
        rows = r + rows
    for name, values in (("Y", rows), ("last", [v + s for v, s in zip(r, states[4])])):
        out, bits = answers[0]["outputs"][name], [f"{m.encode('f32', v):08x}" for v in values]
        check(bits == out["bits"] == out["lower"] == out["upper"],
              f"{name} of a scan back over another is exact at every step", [bits, out])


# What stands in place of the scan and what follows it, what is said, and where.
REFUSED = [
    ("  scan: {steps: 2, nodes: {S: X}}\n  Y: step(X)\n  last: X\n", "step stands in a scan", 6, 6),
    ("  scan: {steps: 2, nodes: {S: steps(X)}}\n  Y: X\n  last: X\n", "steps stands after a scan",
     5, 31),
    ("  scan: {steps: 2, nodes: {S: 'before(Y, X)'}}\n  Y: X\n  last: X\n",
     "before takes a node of the scan", 5, 39),
    ("  scan: {steps: 2, nodes: {S: before(S)}}\n  Y: X\n  last: X\n",
     "before takes a node of the scan", 5, 39),
    ("  scan: {steps: 2, nodes: {Y: X}}\n  last: X\n", "Y is an output", 5, 28),
    ("  scan: {steps: X, nodes: {S: X}}\n  Y: X\n  last: X\n", "the number of steps is about",
     5, 17),
    ("  scan: {nodes: {S: X}}\n  Y: X\n  last: X\n", "the keys steps and nodes", 5, 3),
    ("  scan: X\n  Y: X\n  last: X\n", "scan", 5, 9),
    ("  reverse_scan: {nodes: {S: X}}\n  Y: X\n  last: X\n", "after it one reverse_scan", 5, 3),
    ("  scan: {steps: 2, nodes: {S: X}}\n  reverse_scan: {steps: 2, nodes: {T: X}}\n  Y: X\n"
     "  last: X\n", "steps", 6, 18),
    ("  scan: {steps: 2, nodes: {S: 'before(T, X)'}}\n  reverse_scan: {nodes: {T: X}}\n  Y: X\n"
     "  last: X\n", "before takes a node of the scan", 5, 39),
]
# The same, and what is said of a request with X [2], W [3] and a start [1].
MISFITS = [
    ("  scan: {steps: 0, nodes: {S: X}}\n  Y: steps(S)\n  last: S\n", "a scan of 0 steps"),
    ("  scan: {steps: 3, nodes: {S: step(X)}}\n  Y: steps(S)\n  last: S\n",
     "they are its first axis"),
    ("  scan: {steps: 2, nodes: {S: 'before(S, start) + X'}}\n  Y: steps(S)\n  last: S\n",
     "node S is f32[2], and starts from f32[1]"),
    ("  scan: {steps: 1099511627776, nodes: {S: X}}\n  Y: X\n  last: S\n", "at most 1048576"),
    ("  scan: {steps: 2, nodes: {R: X, S: step(R)}}\n  Y: X\n  last: S\n", "step takes"),
    ("  scan: {steps: 2, nodes: {S: X}}\n  Y: steps(X)\n  last: X\n", "steps takes"),
    ("  scan: {steps: 2, nodes: {S: X}}\n  reverse_scan: {nodes: {T: 'before(T, start) + X'}}\n"
     "  Y: X\n  last: T\n", "node T is f32[2], and starts from f32[1]"),
    ("  scan: {steps: 2, nodes: {S: X}}\n  reverse_scan: {nodes: {R: X, T: step(R)}}\n  Y: X\n"
     "  last: T\n", "step takes"),
]


def refusals():
    one = {"dtype": "f32", "shape": [2], "data": [1, 2]}
    request = {"op": "drawn", "inputs": {"X": one, "W": {**one, "shape": [3], "data": [1, 2, 3]},
                                         "start": {**one, "shape": [1], "data": [1]}}}
    for text, said, line, column in REFUSED:
        _, heard = evaluate([request], HEAD + text)
        check(said in heard and f":{line}:{column}:" in heard, text.split("\n", 1)[0], heard)
    for text, said in MISFITS:
        answers, heard = evaluate([request], HEAD + text)
        message = answers[0].get("error", {}).get("message", "") if answers else heard
        check(said in message, text.split("\n", 1)[0], message)


def main():
    print(f"# seed {SEED}")
    against_model()
    exact_steps()
    back_again()
    refusals()
    finish()


if __name__ == "__main__":
    main()
