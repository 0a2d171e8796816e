# SPDX-License-Identifier: Apache-2.0
"""Ulps of a wide interval: of each number that a function may have there, what it may be off by is
inside, powers of two and the numbers beside them among them; and the ends are no wider, but for two
units in their last place. Arguments are widened by `within`."""

import sys

import mpmath
import numpy as np

sys.path.insert(0, "harness/tests")
sys.path.insert(0, "ref/op/tests/declared")
from ask import evaluate, tensor  # noqa: E402
from tap import check, finish  # noqa: E402

# The function, its ulps in the standard model, arguments, the share that they are off by.
WIDE = [
    ("exp", mpmath.exp, 4, [-60.0, -7.0, -0.6, 0.3, 5.0, 40.0, -86.0], 0.5),
    ("exp", mpmath.exp, 4, [-20.0, 3.0, 11.0], 0.001),
    ("exp", mpmath.exp, 4, [0.6931472, 1.3862944, -0.6931472], 1e-7),  # about powers of two
    ("log", mpmath.log, 4, [1e-30, 0.3, 1.2, 1e20, 5.0], 0.5),
    ("tanh", mpmath.tanh, 2, [-3.0, -0.01, 0.2, 1.0], 0.9),
    ("logistic", lambda z: 1 / (1 + mpmath.exp(-z)), 4, [-40.0, -3.0, 2.0], 0.5),
    ("expm1", mpmath.expm1, 4, [-9.0, -0.001, 2.0], 0.5),
    ("tan", mpmath.tan, 4, [-0.7, 0.001, 1.0, 2.5, -3.5], 0.05),
    ("tan", mpmath.tan, 4, [40.0, -1e6], 1e-7),
    ("sinh", mpmath.sinh, 4, [-9.0, 0.001, 2.0, 50.0], 0.5),
    ("cosh", mpmath.cosh, 4, [-9.0, 0.1, 2.0, 50.0], 0.5),
    ("asin", mpmath.asin, 4, [-0.6, 0.001, 0.3], 0.5),
    ("acos", mpmath.acos, 4, [-0.6, 0.001, 0.3], 0.5),
    ("atan", mpmath.atan, 4, [-0.6, 0.001, 3.0, 1e20], 0.5),
    ("asinh", mpmath.asinh, 4, [-0.6, 0.001, 3.0, 1e20], 0.5),
    ("acosh", mpmath.acosh, 4, [1.5, 3.0, 1e20], 0.3),
    ("atanh", mpmath.atanh, 4, [-0.6, 0.001, 0.3], 0.5),
]
FLUSHED = mpmath.mpf(2) ** -125  # small numbers may become 0


def ulp(v):
    """Of a number of f32."""
    return mpmath.mpf(2) ** (max(mpmath.frexp(abs(v))[1] - 1, -126) - 23) if v else \
        mpmath.mpf(2) ** -149


def values(low, high):
    """Both ends, and what surrounds each power of two between them."""
    yield from (low, high)
    for sign in (-1, 1):
        for e in range(-150, 128):
            power, beside = sign * mpmath.mpf(2) ** e, mpmath.mpf(2) ** -26
            for v in (power, power * (1 - beside), power * (1 + beside)):
                if low <= v <= high:
                    yield v


def ends(words):
    return [mpmath.mpf(float(np.array(int(w, 16), np.uint32).view(np.float32))) for w in words]


def edges():
    """An exp that vanishes is not below 0, nor is a quotient of it; its logarithm may be -inf, and
    is below what any number that is kept has."""
    wrong = []
    x = np.array([-1000.0, -120.0, -100.0, -88.0], np.float32)
    for text, of in (("exp(X)", mpmath.exp), ("exp(X) / 3", lambda v: mpmath.exp(v) / 3),
                     ("log(exp(X) / 3)", lambda v: v - mpmath.log(3))):
        operator = ("operator: edge\ninputs: {X: f32}\noutputs: {Y: {type: f32, level: bound}}\n"
                    f"nodes:\n  Y: '{text}'\n")
        answers, stderr = evaluate([{"op": "edge", "inputs": {"X": tensor("f32", x)}}], operator,
                                   options=["--bounds"])
        y = answers[0]["outputs"]["Y"] if answers else check(False, text, stderr)
        for v, low, high in zip(x, ends(y["lower"]), ends(y["upper"])):
            real, logarithm = of(mpmath.mpf(float(v))), text.startswith("log")
            if not low <= real <= high or low != (-mpmath.inf if logarithm else 0) or not (
                    high < -80 if logarithm else high < FLUSHED * 4):
                wrong.append(f"{text} of {v}: [{low}, {high}]")
    check(not wrong, "what vanishes is not below 0, and its logarithm may be -inf, not more", wrong)


def between(text, x):
    """Ends of an expression of one number of f32."""
    operator = ("operator: between\ninputs: {X: f32}\noutputs: {Y: {type: f32, level: bound}}\n"
                f"nodes:\n  Y: '{text}'\n")
    answers, stderr = evaluate([{"op": "between", "inputs": {
        "X": tensor("f32", np.array([x], np.float32))}}], operator, options=["--bounds"])
    y = answers[0]["outputs"]["Y"] if answers else check(False, text, stderr)
    return ends(y["lower"])[0], ends(y["upper"])[0]


def turns():
    """Of a tangent over a pole, or of more than a turn, nothing is known, nor of what goes beyond
    a domain; a hyperbolic cosine falls down to 1 and grows again."""
    wrong = [f"{text} of {x}: {found}" for text, x in (
        ("tan(within(X, 0.1))", 1.5), ("tan(within(X, 0.5))", -10), ("tan(within(X, 0.1))", 5e4),
        ("acos(within(X, 0.1))", 0.95), ("asin(within(X, 0.1))", -0.95),
        ("atanh(within(X, 0.1))", 0.95), ("acosh(within(X, 0.1))", 1.05))
        if (found := between(text, x)) != (-mpmath.inf, mpmath.inf)]
    low, high = between("cosh(within(X, 2))", 0.5)
    if not 1 - 2.0**-21 <= low <= 1 or not 0 <= high - mpmath.cosh(1.5) < 2.0**-20:
        wrong.append(f"cosh from -0.5 to 1.5: [{low}, {high}]")
    if between("tan(within(X, 0.001))", 1.5)[1] > 17:
        wrong.append("tan beside its pole")
    check(not wrong, "a tangent over a pole, and a function beyond its domain, may be anything",
          wrong)


def main():
    mpmath.mp.prec = 200
    edges()
    turns()
    wrong, wider, count = [], [], 0
    for name, function, ulps, arguments, share in WIDE:
        x = np.array(arguments, np.float32)
        operator = ("operator: wide\ninputs: {X: f32}\noutputs: {Y: {type: f32, level: bound}}\n"
                    f"nodes:\n  Y: '{name}(within(X, {share}))'\n")
        answers, stderr = evaluate([{"op": "wide", "inputs": {"X": tensor("f32", x)}}], operator,
                                   options=["--bounds"])
        of = answers[0]["outputs"]["Y"] if answers else check(False, name, stderr)
        for v, low, high in zip(x, ends(of["lower"]), ends(of["upper"])):
            v = mpmath.mpf(float(v))
            exact = [v * (1 + s * mpmath.mpf(share)) for s in (-1, 1)]
            stored = [mpmath.mpf(float(np.float32(float(a)))) for a in exact]
            inside = sorted(map(function, exact))  # and what may be stored of the argument:
            at = sorted(map(function, (min(*exact, *stored), max(*exact, *stored))))
            count += 1
            least, most = (f(y + s * ulps * ulp(y) for y in values(*inside))
                           for f, s in ((min, -1), (max, 1)))
            least = max(least, 0) if name == "exp" else least
            if not low <= least + ulp(least) or not high >= most - ulp(most):
                wrong.append(f"{name} of {v} +- {share}: [{low}, {high}] has not "
                             f"[{mpmath.nstr(least, 12)}, {mpmath.nstr(most, 12)}]")
            least, most = (f(y + s * ulps * ulp(y) for y in values(*at))
                           for f, s in ((min, -1), (max, 1)))
            if low < least - 2 * ulp(least) - FLUSHED or high > most + 2 * ulp(most) + FLUSHED:
                wider.append(f"{name} of {v} +- {share}: [{low}, {high}], and "
                             f"[{mpmath.nstr(least, 12)}, {mpmath.nstr(most, 12)}] would do")
    check(not wrong, f"{count} wide intervals hold every number, off by its ulps", wrong)
    check(not wider, "and are no wider than that", wider)
    finish()


main()
