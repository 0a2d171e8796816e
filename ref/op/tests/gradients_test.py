# SPDX-License-Identifier: Apache-2.0
"""The gradients that scripts/backward derives, against dual numbers in 60 digits: each formula of
the texts written out again, and evaluated on x + d with d * d = 0. What is derived must lie in the
bounds that assay gives, and the value in them too. ASSAY_SEED repeats a run."""

import glob
import json
import math
import os
import random
import subprocess
import sys

import mpmath
import yaml

sys.path.insert(0, "scripts")
sys.path.insert(0, "harness/tests")
sys.path.insert(0, "ref/op/tests")
sys.path.insert(0, "ref/op/tests/declared")
import axes_duals  # noqa: E402
import declared_model as m  # noqa: E402
import fused_duals  # noqa: E402
from operators_test import ASSAY, FULL, SEED, places_of, tensor  # noqa: E402
from reverse import slopeless  # noqa: E402
from tap import check, finish  # noqa: E402
from windows_test import Windows, held, sizes_of  # noqa: E402

mpmath.mp.dps = 60


class Dual:
    """value + slope * d."""

    def __init__(self, value, slope=0):
        self.value, self.slope = mpmath.mpf(value), mpmath.mpf(slope)

    def __add__(self, other):
        other = lift(other)
        return Dual(self.value + other.value, self.slope + other.slope)

    def __mul__(self, other):
        other = lift(other)
        return Dual(self.value * other.value,
                    self.value * other.slope + self.slope * other.value)

    def __neg__(self):
        return self * -1

    def __sub__(self, other):
        return self + -lift(other)

    def __truediv__(self, other):
        other = lift(other)
        return Dual(self.value / other.value, (self.slope * other.value - self.value * other.slope)
                    / other.value ** 2)

    def __rtruediv__(self, other):
        return lift(other) / self

    def __gt__(self, other):
        return self.value > lift(other).value

    def __pow__(self, other):
        return exp(lift(other) * log(self))

    __radd__, __rmul__ = __add__, __mul__


def lift(x):
    return x if isinstance(x, Dual) else Dual(x)


def function(value, slope):
    def of(x):
        x = lift(x)
        return Dual(value(x.value), slope(x.value) * x.slope)
    return of


exp = function(mpmath.exp, mpmath.exp)
log = function(mpmath.log, lambda x: 1 / x)
sqrt = function(mpmath.sqrt, lambda x: 1 / (2 * mpmath.sqrt(x)))
tanh = function(mpmath.tanh, lambda x: mpmath.sech(x) ** 2)
erf = function(mpmath.erf, lambda x: 2 / mpmath.sqrt(mpmath.pi) * mpmath.exp(-x * x))
sin, cos = function(mpmath.sin, mpmath.cos), function(mpmath.cos, lambda x: -mpmath.sin(x))
TURNS = {
    "tan": function(mpmath.tan, lambda x: mpmath.sec(x) ** 2),
    "sinh": function(mpmath.sinh, mpmath.cosh), "cosh": function(mpmath.cosh, mpmath.sinh),
    "asin": function(mpmath.asin, lambda x: 1 / mpmath.sqrt(1 - x * x)),
    "acos": function(mpmath.acos, lambda x: -1 / mpmath.sqrt(1 - x * x)),
    "atan": function(mpmath.atan, lambda x: 1 / (1 + x * x)),
    "asinh": function(mpmath.asinh, lambda x: 1 / mpmath.sqrt(1 + x * x)),
    "acosh": function(mpmath.acosh, lambda x: 1 / mpmath.sqrt(x * x - 1)),
    "atanh": function(mpmath.atanh, lambda x: 1 / (1 - x * x)),
}


def sigmoid(x):
    return 1 / (exp(-x) + 1)


def single(number):
    return mpmath.mpf(m.decode("f32", m.encode("f32", m.F(number))).numerator) / m.decode(
        "f32", m.encode("f32", m.F(number))).denominator


def larger(x, y):
    return lift(x) if lift(x) > y else lift(y)


def lesser(x, y):
    return lift(x) if lift(y) > x else lift(y)


def selu(x):
    scale, alpha = single("1.05070102214813232421875"), single("1.67326319217681884765625")
    return x * scale if x > 0 else (exp(x) - 1) * alpha * scale


def shrink(x):
    return x if x > single("0.5") or -x > single("0.5") else Dual(0)


ONE = {  # the name of the tensor, whether it is positive, the function
    "sigmoid": ("X", False, sigmoid), "relu": ("X", False, lambda x: larger(x, 0)),
    "leaky_relu": ("X", False, lambda x: x if x > 0 else x * single("0.01")),
    "elu": ("X", False, lambda x: x if x > 0 else exp(x) - 1), "selu": ("X", False, selu),
    "thresholded_relu": ("X", False, lambda x: x if x > 1 else Dual(0)),
    "hard_sigmoid": ("X", False, lambda x: larger(0, lesser(
        1, x * single("0.2") + single("0.5")))),
    "hard_swish": ("X", False, lambda x: x * larger(0, lesser(1, x / 6 + Dual("0.5")))),
    "swish": ("X", False, lambda x: x * sigmoid(x)),
    "mish": ("X", False, lambda x: x * tanh(log(exp(x) + 1))),
    "softplus": ("X", False, lambda x: log(exp(x) + 1)),
    "gelu": ("X", False, lambda x: x * (erf(x / mpmath.sqrt(2)) + 1) / 2),
    "abs": ("X", False, lambda x: x if x > 0 else -x), "neg": ("X", False, lambda x: -x),
    "reciprocal": ("X", False, lambda x: 1 / x), "sqrt": ("X", True, sqrt),
    "exp": ("input", False, exp), "log": ("input", True, log), "tanh": ("input", False, tanh),
    "erf": ("input", False, erf), "sin": ("input", False, sin), "cos": ("input", False, cos),
    "softsign": ("input", False, lambda x: x / ((x if x > 0 else -x) + 1)),
    "shrink": ("input", False, shrink),
    **{name: ("input", name == "acosh", of) for name, of in TURNS.items()},
}
# Where a product that is not exact decides the side, bounds hold both.
KINKS = {"hard_sigmoid": (2.5, -2.5), "hard_swish": (3, -3)}
TWO = {"add": lambda x, y: x + y, "sub": lambda x, y: x - y, "mul": lambda x, y: x * y,
       "div": lambda x, y: x / y, "pow": lambda x, y: x ** y}


def element(rng, positive):
    x = rng.randint(1, 1 << 9) * 2.0 ** rng.randint(-9, -6)
    return x if positive or rng.random() < 0.5 else -x


def one(name):
    key, positive, of = ONE[name]

    def make(rng):
        values = [element(rng, positive) for _ in range(rng.randint(1, 6))]
        values = [2 * x if x in KINKS.get(name, ()) else x for x in values]
        if name in ("asin", "acos", "atanh"):  # between -1 and 1
            values = [x / 16 for x in values]
        if name == "acosh":
            values = [x + 1 for x in values]
        output = "doutput" if key == "input" else "dY"
        return {key: ([len(values)], values)}, output, [len(values)], (
            lambda t: [of(x) for x in t[key]])
    return make


def broadcast_of(values, shape, place):
    own = [0 if n == 1 else i for n, i in zip(shape, place[len(place) - len(shape):])]
    index = 0
    for n, i in zip(shape, own):
        index = index * n + i
    return values[index]


def two(name):
    of = TWO[name]
    left, right, output = ("X", "Y", "dZ") if name == "pow" else ("A", "B", "dC")

    def make(rng):
        shapes = rng.choice((([2, 3], [3], [2, 3]), ([2, 1], [3], [2, 3]), ([], [2], [2]),
                             ([1, 2], [2, 1, 1], [2, 1, 2])))
        given = {key: (shape, [element(rng, name == "pow") for _ in range(math.prod(shape))])
                 for key, shape in zip((left, right), shapes)}
        return given, output, shapes[2], lambda t: [
            of(*(broadcast_of(t[key], given[key][0], place) for key in (left, right)))
            for place in places_of(shapes[2])]
    return make


def slopes(rng):
    given = {"X": ([2, 3], [element(rng, False) for _ in range(6)]),
             "slope": ([3], [element(rng, False) for _ in range(3)])}
    return given, "dY", [2, 3], lambda t: [
        x if x > 0 else t["slope"][i % 3] * x for i, x in enumerate(t["X"])]


def product(rng):
    rows, depth, columns, batch = (rng.randint(1, 3) for _ in range(4))
    given = {"A": ([batch, rows, depth], None), "B": ([depth, columns], None)}
    given = {key: (shape, [element(rng, False) for _ in range(math.prod(shape))])
             for key, (shape, _) in given.items()}
    return given, "dY", [batch, rows, columns], lambda t: [
        sum((t["A"][i * depth + k] * t["B"][k * columns + j] for k in range(depth)), Dual(0))
        for i in range(batch * rows) for j in range(columns)]


def normalization(layer):
    def make(rng):
        rows, n = rng.randint(1, 2), rng.randint(2, 4)
        scale = "Scale" if layer else "scale"
        given = {"X": ([rows, n], [element(rng, False) for _ in range(rows * n)]),
                 scale: ([n], [element(rng, False) for _ in range(n)])}
        if layer:
            given["B"] = [n], [element(rng, False) for _ in range(n)]

        def of(t):
            y = []
            for first in range(0, rows * n, n):
                row = t["X"][first:first + n]
                mean = sum(row, Dual(0)) / n if layer else Dual(0)
                spread = sqrt(sum(((x - mean) * (x - mean) for x in row), Dual(0)) / n +
                              Dual("0.125"))
                y += [(x - mean) / spread * t[scale][i] + (t["B"][i] if layer else 0)
                      for i, x in enumerate(row)]
            return y
        return given, "dY", [rows, n], of, {"epsilon": 0.125}
    return make


def softmax(logarithm):
    def make(rng):
        rows, n = rng.randint(1, 2), rng.randint(1, 4)

        def of(t):
            y = []
            for first in range(0, rows * n, n):
                powers = [exp(x) for x in t["input"][first:first + n]]
                total = sum(powers, Dual(0))
                y += [log(p / total) if logarithm else p / total for p in powers]
            return y
        return ({"input": ([rows, n], [element(rng, False) for _ in range(rows * n)])}, "doutput",
                [rows, n], of)
    return make


def gemm(rng):
    """With alpha and beta 1: other attributes are the cases of the suite."""
    rows, depth, columns = (rng.randint(1, 3) for _ in range(3))
    of_c = rng.choice(([], [columns], [rows, 1], [rows, columns]))
    given = {key: (shape, [element(rng, False) for _ in range(math.prod(shape))])
             for key, shape in (("A", [rows, depth]), ("B", [depth, columns]), ("C", of_c))}
    return given, "dY", [rows, columns], lambda t: [
        sum((t["A"][i * depth + k] * t["B"][k * columns + j] for k in range(depth)),
            broadcast_of(t["C"], of_c, [i, j])) for i in range(rows) for j in range(columns)]


def filled(rng, shape):
    return shape, [element(rng, False) for _ in range(math.prod(shape))]


def windows_of(rng, most, pooling):
    while True:
        try:
            sizes = sizes_of(rng, most)
            return sizes, Windows(rng, sizes, pooling)
        except m.Undefined:  # a window that does not fit
            pass


def convolution(rng):
    sizes, w = windows_of(rng, 2, False)
    batch, group, channels, maps = (rng.randint(1, 2) for _ in range(4))
    given = {"X": filled(rng, [batch, group * channels, *sizes]),
             "W": filled(rng, [group * maps, channels, *w.kernel]),
             "B": filled(rng, [group * maps])}
    shape = [batch, group * maps, *w.places]

    def of(t):
        x, kernel = (held(given[key][0], t[key]) for key in ("X", "W"))
        return [sum((x[(n, o // maps * channels + c, *at)] * kernel[(o, c, *k)]
                     for k, at in w.seen(place) if at for c in range(channels)), t["B"][o])
                for n, o, *place in places_of(shape)]
    return given, "dY", shape, of, {**w.attributes, "group": group}


def pool_of(name, attributes, row, count):
    if name == "max":
        return max(row, key=lambda x: x.value)  # the first one
    if name == "average":
        return sum(row, Dual(0)) / count
    p = attributes.get("p", 2)
    total = sum((abs_of(x) ** p for x in row), Dual(0))
    return total if p == 1 else total ** (Dual(1) / p)


def abs_of(x):
    return x if x > 0 else -x


def pool(name):
    def make(rng):
        while True:  # until each window sees something
            sizes, w = windows_of(rng, 3, True)
            if all(any(at for _, at in w.seen(place)) for place in places_of(w.places)):
                break
        shape = [rng.randint(1, 2), rng.randint(1, 2)]
        given = {"X": filled(rng, shape + sizes)}
        if name == "lp":
            w.attributes["p"] = rng.randint(1, 3)
        elif name == "average" and not w.ceil:
            w.attributes["count_include_pad"] = rng.randint(0, 1)

        def of(t):
            x, y = held(shape + sizes, t["X"]), []
            for n, c, *place in places_of(shape + w.places):
                seen = [at for _, at in w.seen(place)]
                row = [x[(n, c, *at)] for at in seen if at]
                everything = w.attributes.get("count_include_pad")
                y.append(pool_of(name, w.attributes, row, len(seen if everything else row)))
            return y
        return given, "dY", shape + w.places, of, w.attributes
    return make


def global_pool(name):
    def make(rng):
        shape, sizes = [rng.randint(1, 2), rng.randint(1, 2)], sizes_of(rng, 3)
        attributes, size = ({"p": rng.randint(1, 3)} if name == "lp" else {}), math.prod(sizes)
        return ({"X": filled(rng, shape + sizes)}, "dY", shape + [1] * len(sizes), lambda t: [
            pool_of(name, attributes, t["X"][i:i + size], size)
            for i in range(0, len(t["X"]), size)], attributes)
    return make


OPERATORS = {**{name: one(name) for name in ONE}, **{name: two(name) for name in TWO},
             "p_relu": slopes, "mat_mul": product, "gemm": gemm,
             "softmax": softmax(False), "log_softmax": softmax(True),
             "conv": convolution,
             **{f"{name}_pool": pool(name) for name in ("average", "max", "lp")},
             **{f"global_{name}_pool": global_pool(name) for name in ("average", "max", "lp")},
             "layer_normalization": normalization(True), "rms_normalization": normalization(False),
             **axes_duals.operators(sys.modules[__name__]),
             **fused_duals.operators(sys.modules[__name__])}
# Of these f64 is not taken, or held to f32.
SINGLE = {name for name in OPERATORS if name.endswith("normalization")} | {
    "rotary_embedding", "dequantize_linear", "linear_attention"}
# Of more than one step bounds are wide: the value counts.
RECURRENCES = {"linear_attention"}


def decoded(kind, bits):
    infinite = {"ff800000": -mpmath.inf, "7f800000": mpmath.inf}.get(bits)
    x = infinite or m.decode(kind, int(bits, 16))
    return infinite or mpmath.mpf(x.numerator) / x.denominator


def derivatives(given, weights, of):
    """Of the sum of weighted outputs, by each element of each tensor."""
    found = {}
    for key, (_, values) in given.items():
        found[key] = []
        for at in range(len(values)):
            lifted = {other: [Dual(x, other == key and i == at) for i, x in enumerate(of_other)]
                      for other, (_, of_other) in given.items()}
            found[key].append(sum(w * lift(y).slope for w, y in zip(weights, of(lifted))))
    return found


def with_slope():
    """The operators of which scripts/reverse.py does not say why they have no gradient."""
    found = set()
    for path in glob.glob("yaml/operators/*.yaml"):
        with open(path, encoding="utf-8") as file:
            declaration = yaml.load(file, Loader=yaml.BaseLoader)
        name = declaration["operator"]
        if not name.startswith("gradient.") and not slopeless(declaration):
            found.add(name)
    return found


def main():
    print(f"# seed {SEED}")
    declared = {f[len("gradient."):-len(".yaml")] for f in os.listdir("yaml/operators")
                if f.startswith("gradient.")}
    check(declared == set(OPERATORS), "each gradient that is declared is looked at",
          [str(declared ^ set(OPERATORS))])
    missing = {name for name in with_slope() if name.partition(".")[2] not in declared}
    check(not missing, "each operator that has a slope has a gradient", sorted(missing))
    stale = subprocess.run([sys.executable, "scripts/backward", "--check"], capture_output=True,
                           text=True, check=False)
    check(stale.returncode == 0, "the declarations are what scripts/backward writes",
          [stale.stdout, stale.stderr])
    for name, make in OPERATORS.items():
        rng, requests, expected = random.Random(f"{SEED} {name}"), [], []
        for _ in range(60 if FULL else 6):
            given, output, shape, of, *rest = make(rng)
            attributes, other = (*rest, {}, {})[:2]
            outputs = output if shape is None else {output: shape}
            weights = {key: [element(rng, False) for _ in range(math.prod(of_key))]
                       for key, of_key in outputs.items()}
            kind = "f32" if name in SINGLE else rng.choice(("f32", "f64"))
            requests.append({"op": f"gradient.{name}", "attributes": attributes, "inputs": {
                **other, **{key: tensor(kind, shape_, [m.F(x) for x in values])
                   for key, (shape_, values) in given.items()},
                **{key: tensor(kind, outputs[key], [m.F(x) for x in of_key])
                   for key, of_key in weights.items()}}})
            expected.append((kind, derivatives(given, sum(weights.values(), []), of)))
        done = subprocess.run([ASSAY, "eval", "--bounds", "-"], capture_output=True, text=True,
                              check=False, input="\n---\n".join(map(json.dumps, requests)))
        wrong = []
        for line, request, (kind, slopes_) in zip(done.stdout.splitlines(), requests, expected):
            answer = json.loads(line)
            for key, of_key in slopes_.items():
                got = answer.get("outputs", {}).get(f"d{key}")
                if not got or len(got["bits"]) != len(of_key):
                    wrong.append(f"d{key}: {line[:300]}")
                    continue
                for low, value, high, slope in zip(got["lower"], got["bits"], got["upper"], of_key):
                    slack = mpmath.mpf(2) ** -(20 if kind == "f32" else 48) * max(1, abs(slope))
                    ends = [decoded(kind, b) for b in (low, value, high)]
                    many = name in RECURRENCES and request["inputs"]["query"]["shape"][1] > 1
                    if not (ends[0] - slack <= slope <= ends[2] + slack and
                            ends[0] <= ends[1] <= ends[2] and (
                                abs(ends[1] - slope) < 64 * slack if many else
                                ends[2] - ends[0] < 2 ** 12 * slack)):
                        wrong.append(f"d{key}: {mpmath.nstr(slope, 20)} is not near "
                                     f"{[mpmath.nstr(x, 20) for x in ends]}; {request}"[:600])
        check(not wrong and len(done.stdout.splitlines()) == len(requests),
              f"gradient.{name}: dual numbers lie in its bounds", wrong[:5] + [done.stderr])
    finish()


if __name__ == "__main__":
    main()
