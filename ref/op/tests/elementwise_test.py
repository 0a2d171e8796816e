# SPDX-License-Identifier: Apache-2.0
"""The elementwise operators and activations that assay declares, against a second model: each
formula of the texts over exact fractions, with functions to 2,400 bits. ASSAY_SEED repeats a
run."""

import math
import sys
from fractions import Fraction as F

import mpmath

sys.path.insert(0, "harness/tests")
sys.path.insert(0, "ref/op/tests")
import declared_model as m  # noqa: E402
from operators_test import (  # noqa: E402
    FLOATS,
    FULL,
    SEED,
    against_model,
    drawn,
    places_of,
    single,
    tensor,
)
from tap import finish  # noqa: E402

SIGNED, UNSIGNED = ("i8", "i16", "i32", "i64"), ("u8", "u16", "u32", "u64")
NUMBERS = FLOATS + SIGNED + UNSIGNED
exp, erf, tanh, sigmoid = (m.UNARY[name] for name in ("exp", "erf", "tanh", "logistic"))
# What is added or compared reaches beyond 2^53.
WIDE = {"i64": 1 << 60, "u64": 1 << 61}


def truncated(a, b):
    return F(math.trunc(a / b))


def power(x, y):
    if y.denominator == 1 and abs(y) < 64:
        return x ** int(y)
    if x <= 0:
        raise m.Undefined
    value = mpmath.mpf(x.numerator) / x.denominator
    return m.real(lambda e: mpmath.power(value, e))(y)


def element(rng, kind):
    if kind in FLOATS:
        return drawn(rng, kind, -8, 4)
    if kind == "bool":
        return F(rng.randrange(2))
    top = rng.choice((100, WIDE.get(kind, 100)))
    return F(rng.randint(-top if kind in SIGNED else 0, top))


def full(shapes):
    """The shape that all are broadcast to."""
    shape = ()
    for other in shapes:
        shape = m.broadcast(shape, tuple(other))
    return shape


def broadcast_shapes(rng, count):
    """Shapes that fit together."""
    whole = [rng.choice((0, 1, 2, 3, 3)) for _ in range(rng.randint(0, 3))]
    return [[n if rng.random() < 0.7 else 1 for n in whole[rng.randint(0, len(whole)):]]
            for _ in range(count)]


def operator(inputs, output, formula, kinds=FLOATS, to=None, attributes=None, shapes=None):
    """Draws a request: `inputs` names tensors of one type, `kinds` says of which it may be;
    formula(attributes, kind, *elements) is what an element of the output is."""
    def make(rng, _, name):
        kind = rng.choice(kinds)
        given = attributes(rng) if attributes else {}
        names = inputs(rng) if callable(inputs) else inputs
        laid = (shapes or broadcast_shapes)(rng, len(names))
        types = [of[1] if isinstance(of, tuple) else kind for of in names]
        types = [rng.choice(t) if isinstance(t, tuple) else t for t in types]
        names = [of[0] if isinstance(of, tuple) else of for of in names]
        values = [{p: element(rng, t) for p in places_of(s)} for s, t in zip(laid, types)]
        asked = {n: tensor(t, s, list(v.values()))
                 for n, t, s, v in zip(names, types, laid, values)}
        shape = full(laid)
        real = {k: single(str(v)) if isinstance(v, float) else v for k, v in given.items()}
        expected = []
        for place in places_of(shape):
            own = [place[len(place) - len(s):] for s in laid]
            chosen = [v[tuple(0 if n == 1 else i for n, i in zip(s, o))]
                      for v, s, o in zip(values, laid, own)]
            expected.append(F(formula(real, kind, *chosen)))
        return {"op": f"onnx.{name}", "attributes": given, "inputs": asked}, {
            output: (to or kind, list(shape), expected)}
    return make


def of_x(formula, kinds=FLOATS, **more):
    return operator(["X"], "Y", formula, kinds, **more)


def of_input(formula, kinds=FLOATS, **more):
    return operator(["input"], "output", formula, kinds, **more)


def of_two(formula, kinds=NUMBERS, **more):
    return operator(["A", "B"], "C", formula, kinds, **more)


def function(name):
    return of_input(lambda a, kind, x: m.UNARY[name](x))


def alpha(*choices):
    return lambda rng: {"alpha": rng.choice(choices)} if rng.random() < 0.7 else {}


def several(formula, kinds=NUMBERS):
    def made(of, output):
        return operator(lambda rng: [f"data_{i}" for i in range(rng.randint(1, 4))], output,
                        lambda a, kind, *x: of(x), kinds)
    return made(*formula)


def modulo(a, kind, x, y):
    if a.get("fmod"):
        return x - y * truncated(x, y)
    return x - y * math.floor(x / y)


def mod(rng, kind, name):
    kind = rng.choice(NUMBERS)
    given = {"fmod": rng.randrange(2), "opset": 28}
    return of_two(modulo, (kind,), attributes=lambda _: given)(rng, kind, name)


def clip(rng, kind, name):
    """Ends are scalars, and either may be absent."""
    kind = rng.choice(NUMBERS)
    names = ["input"] + [end for end in ("min", "max") if rng.random() < 0.7]

    def formula(_, __, x, *ends):
        given = dict(zip(names[1:], ends))
        x = max(x, given.get("min", x))
        return min(x, given.get("max", x))
    return operator(names, "output", formula, (kind,), shapes=lambda r, count:
                    broadcast_shapes(r, 1) + [[]] * (count - 1))(rng, kind, name)


def special(rng, kind, name):
    """IsNaN and IsInf: finite numbers among what is not."""
    fraction = m.FORMATS[kind][0] - 1
    infinite = ((1 << (m.WIDTH[kind] - 1)) - 1) >> fraction << fraction
    minus = 1 << (m.WIDTH[kind] - 1)
    bits = [rng.choice((infinite, infinite | minus, infinite | 1 << (fraction - 1),
                        m.encode(kind, drawn(rng, kind)))) for _ in range(9)]
    attributes = {} if name == "is_nan" or rng.random() < 0.3 else {
        "detect_negative": rng.randrange(2), "detect_positive": rng.randrange(2)}
    found = {infinite: attributes.get("detect_positive", 1),
             infinite | minus: attributes.get("detect_negative", 1)}
    held = [b & ~minus > infinite if name == "is_nan" else found.get(b, 0) for b in bits]
    return {"op": f"onnx.{name}", "attributes": attributes, "inputs": {"X": {
        "dtype": kind, "shape": [9], "bits": [f"{b:0{m.WIDTH[kind] // 4}x}" for b in bits]}}}, {
            "Y": ("bool", [9], [F(h) for h in held])}


def slopes(rng, _):
    """The slope is broadcast to X, not X to it."""
    shape = [rng.randint(0, 3) for _ in range(rng.randint(0, 3))]
    return [shape, [n if rng.random() < 0.6 else 1 for n in shape[rng.randint(0, len(shape)):]]]


def selu(rng):
    return {"alpha": rng.choice((0.5, 1.2)), "gamma": rng.choice((0.7, 2.0))} if (
        rng.random() < 0.6) else {}


def of_selu(a, _, x):
    scale = a.get("alpha", F("1.67326319217681884765625"))
    return a.get("gamma", F("1.05070102214813232421875")) * (x if x > 0 else scale * exp(x) - scale)


def shrunk(a, _, x):
    end, bias = a.get("lambd", F(1, 2)), a.get("bias", F(0))
    return x + bias if x < -end else x - bias if x > end else F(0)


def of_celu(a, _, x):
    return max(F(0), x) + min(F(0), a.get("alpha", 1) * (exp(x / a.get("alpha", 1)) - 1))


def quotient(_, kind, x, y):
    return x / y if kind in FLOATS else truncated(x, y)


def kept_digits(kind, x):
    """Of a whole number the digits that the type has."""
    width = m.WIDTH[kind]
    low = int(x) % (1 << width)
    return low - (1 << width) if kind in SIGNED and low >> (width - 1) else low


def digits(function):
    return of_two(lambda a, kind, x, y: kept_digits(kind, function(int(x), int(y))),
                  SIGNED + UNSIGNED)


def shifted(a, kind, x, places):
    if not 0 <= places < m.WIDTH[kind]:
        return -1 if x < 0 and a["direction"] == "RIGHT" else 0
    moved = int(x) << int(places) if a["direction"] == "LEFT" else int(x) >> int(places)
    return kept_digits(kind, moved)


def bit_shift(rng, kind, name):
    """Amounts on both sides of the width."""
    kind, way = rng.choice(SIGNED + UNSIGNED), rng.choice(("LEFT", "RIGHT"))
    x, y = [element(rng, kind) for _ in range(6)], [element(rng, kind) for _ in range(6)]
    y = [v if rng.random() < 0.3 else F(rng.randrange(m.WIDTH[kind])) for v in y]
    given = {"direction": way, "opset": 28}
    return {"op": f"onnx.{name}", "attributes": given, "inputs": {
        "X": tensor(kind, [6], x), "Y": tensor(kind, [6], y)}}, {
            "Z": (kind, [6], [F(shifted(given, kind, a, b)) for a, b in zip(x, y)])}


OPERATORS = {
    "abs": of_x(lambda a, k, x: abs(x), NUMBERS), "neg": of_x(lambda a, k, x: -x, FLOATS + SIGNED),
    "sqrt": of_x(lambda a, k, x: m.root(x)), "reciprocal": of_x(lambda a, k, x: 1 / x),
    "floor": of_x(lambda a, k, x: math.floor(x)), "ceil": of_x(lambda a, k, x: math.ceil(x)),
    "round": of_x(lambda a, k, x: round(x)),
    "sign": of_input(lambda a, k, x: (x > 0) - (x < 0), NUMBERS),
    "add": of_two(lambda a, k, x, y: x + y), "sub": of_two(lambda a, k, x, y: x - y),
    "mul": of_two(lambda a, k, x, y: x * y), "div": of_two(quotient), "mod": mod, "clip": clip,
    "equal": of_two(lambda a, k, x, y: x == y, ("bool", *NUMBERS), to="bool"),
    "less": of_two(lambda a, k, x, y: x < y, to="bool"),
    "less_or_equal": of_two(lambda a, k, x, y: x <= y, to="bool"),
    "greater": of_two(lambda a, k, x, y: x > y, to="bool"),
    "greater_or_equal": of_two(lambda a, k, x, y: x >= y, to="bool"),
    "and": of_two(lambda a, k, x, y: x and y, ("bool",)),
    "or": of_two(lambda a, k, x, y: x or y, ("bool",)),
    "xor": of_two(lambda a, k, x, y: x != y, ("bool",)),
    "not": of_x(lambda a, k, x: not x, ("bool",)),
    "where": operator([("condition", "bool"), "X", "Y"], "output",
                      lambda a, k, c, x, y: x if c else y, ("bool", *NUMBERS)),
    "pow": operator(["X", ("Y", FLOATS + ("i32", "u32"))], "Z", lambda a, k, x, y: power(x, y)),
    "bitwise_and": digits(lambda x, y: x & y), "bitwise_or": digits(lambda x, y: x | y),
    "bitwise_xor": digits(lambda x, y: x ^ y), "bit_shift": bit_shift,
    "bitwise_not": of_x(lambda a, kind, x: kept_digits(kind, ~int(x)), SIGNED + UNSIGNED),
    "is_nan": special, "is_inf": special,
    "min": several((min, "min")), "max": several((max, "max")),
    "sum": several((sum, "sum"), FLOATS),
    "mean": several((lambda x: sum(x) / len(x), "mean"), FLOATS),
    "exp": function("exp"), "log": function("log"), "tanh": function("tanh"),
    "erf": function("erf"), "sin": function("sin"), "cos": function("cos"),
    **{name: function(name) for name in m.TURNS},
    "sigmoid": of_x(lambda a, k, x: sigmoid(x)),
    "relu": of_x(lambda a, k, x: max(x, F(0)), FLOATS + SIGNED),
    "leaky_relu": of_x(lambda a, k, x: x if x >= 0 else a.get("alpha", single("0.01")) * x,
                       attributes=alpha(0.0, 0.25, -1.5)),
    "p_relu": operator(["X", "slope"], "Y", lambda a, k, x, s: x if x >= 0 else s * x,
                       FLOATS + ("i32", "i64", "u32", "u64"), shapes=slopes),
    "elu": of_x(lambda a, k, x: x if x >= 0 else a.get("alpha", 1) * (exp(x) - 1),
                attributes=alpha(0.0, 0.7)),
    "selu": of_x(of_selu, attributes=selu), "celu": of_x(of_celu, attributes=alpha(0.3, 2.0)),
    "thresholded_relu": of_x(lambda a, k, x: x if x > a.get("alpha", 1) else F(0),
                             attributes=alpha(0.0, 0.25, -2.0)),
    "hard_swish": of_x(lambda a, k, x: x * max(F(0), min(F(1), x / 6 + F(1, 2)))),
    "swish": of_x(lambda a, k, x: x * sigmoid(a.get("alpha", 1) * x), attributes=alpha(0.0, 1.7)),
    "mish": of_x(lambda a, k, x: x * tanh(m.UNARY["log1p"](exp(x)))),
    "softsign": of_input(lambda a, k, x: x / (1 + abs(x))),
    "shrink": of_input(shrunk, ("f16", "f32", "f64"), attributes=lambda rng: rng.choice(
        ({}, {"bias": 0.3}, {"lambd": 0.0, "bias": 1.0}, {"lambd": 1.25}))),
}


def main():
    print(f"# seed {SEED}")
    for name in OPERATORS:
        against_model(SEED, name, 200 if FULL else 12, OPERATORS)
    finish()


if __name__ == "__main__":
    main()
