# SPDX-License-Identifier: Apache-2.0
"""A second model of declared operators: drawn graphs as Python closures over exact fractions, with
functions to 2,400 bits (mpmath). It shares nothing with the program but the words."""

import itertools
import math
from fractions import Fraction as F

import mpmath

mpmath.mp.prec = 2400  # 1 + tanh(x), where it is as small as f64 holds, and the digits behind it
FORMATS = {"f16": (11, -14, 15), "bf16": (8, -126, 127), "f32": (24, -126, 127),
           "f64": (53, -1022, 1023)}
WIDTH = {"f16": 16, "bf16": 16, "f32": 32, "f64": 64, "bool": 8, "i8": 8, "i16": 16, "i32": 32,
         "i64": 64, "u8": 8, "u16": 16, "u32": 32, "u64": 64}


LARGEST = 1 << 16  # binary digits of a number before its point, or zeros behind it


class Undefined(Exception):
    """What a draw should not contain: a logarithm of a negative number, a quotient by zero, a
    number that no memory holds, like sinh(sinh(60))."""


def encode(kind, x):
    """The bits of a fraction rounded to nearest even; a whole number of a whole type wraps."""
    if kind not in FORMATS:
        assert x == int(x), "not whole"
        return int(x) % (1 << WIDTH[kind])
    precision, low, high = FORMATS[kind]
    width = WIDTH[kind]
    sign = (1 if x < 0 else 0) << (width - 1)
    x = abs(x)
    if not x:
        return sign
    e = max(x.numerator.bit_length() - x.denominator.bit_length() - 1, low)
    while x >= F(2) ** (e + 1):
        e += 1
    unit = F(2) ** (e - precision + 1)
    n = x / unit
    whole = n.numerator // n.denominator
    rest = n - whole
    whole += rest > F(1, 2) or (rest == F(1, 2) and whole & 1)
    if whole == 1 << precision:
        whole, e = whole >> 1, e + 1
    if e > high:
        return sign | ((1 << (width - precision)) - 1) << (precision - 1)
    biased = 0 if whole < 1 << (precision - 1) else e - low + 1
    return sign | biased << (precision - 1) | (whole & ((1 << (precision - 1)) - 1))


def decode(kind, bits):
    precision, low, _ = FORMATS[kind]
    width = WIDTH[kind]
    sign = -1 if bits >> (width - 1) else 1
    biased = bits >> (precision - 1) & ((1 << (width - precision)) - 1)
    whole = bits & ((1 << (precision - 1)) - 1)
    assert biased != (1 << (width - precision)) - 1, "not finite"
    if biased:
        return sign * F(whole | 1 << (precision - 1)) * F(2) ** (biased - 1 + low - precision + 1)
    return sign * F(whole) * F(2) ** (low - precision + 1)


def real(function):
    def of(x):
        try:
            y = function(mpmath.mpf(x.numerator) / x.denominator)
        except (ValueError, ZeroDivisionError) as e:
            raise Undefined from e
        if not mpmath.isfinite(y) or isinstance(y, mpmath.mpc):
            raise Undefined
        sign, man, exp, _ = y._mpf_
        if abs(exp) > LARGEST:
            raise Undefined
        return (-1 if sign else 1) * F(int(man)) * F(2) ** int(exp)
    return of


def sigmoid(x):
    return 1 / (1 + mpmath.exp(-x))


def root(x):
    if x < 0:
        raise Undefined
    n, d = math.isqrt(x.numerator), math.isqrt(x.denominator)
    if n * n == x.numerator and d * d == x.denominator:
        return F(n, d)
    return real(mpmath.sqrt)(x)


def quotient(a, b):
    if not b:
        raise Undefined
    return a / b


def nearest(x):
    return F(round(x))


TURNS = ("tan", "sinh", "cosh", "asin", "acos", "atan", "asinh", "acosh", "atanh")
UNARY = {"exp": real(mpmath.exp), "expm1": real(mpmath.expm1), "log": real(mpmath.log),
         "log1p": real(lambda x: mpmath.log(1 + x)), "tanh": real(mpmath.tanh),
         "logistic": real(sigmoid), "erf": real(mpmath.erf), "sin": real(mpmath.sin),
         "cos": real(mpmath.cos), **{name: real(getattr(mpmath, name)) for name in TURNS},
         "sqrt": root, "rsqrt": lambda x: quotient(F(1), root(x)),
         "abs": abs, "square": lambda x: x * x, "floor": lambda x: F(math.floor(x)),
         "ceil": lambda x: F(math.ceil(x)), "trunc": lambda x: F(math.trunc(x)),
         "round_even": nearest, "sign": lambda x: F((x > 0) - (x < 0))}
BINARY = {"+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b,
          "/": quotient, "<": lambda a, b: F(a < b), "<=": lambda a, b: F(a <= b),
          "==": lambda a, b: F(a == b), "!=": lambda a, b: F(a != b)}


class Exactly:
    """How operations are evaluated: here exactly. `kind` is the type of the node at work."""

    kind = "f32"

    def operation(self, x, _word=None):
        return x

    def total(self, terms):
        return sum(terms, F(0))

    def product(self, factors):
        return math.prod(factors, start=F(1))

    def dot(self, pairs):
        return self.total([a * b for a, b in pairs])

    def node(self, kind, x):
        return decode(kind, encode(kind, x))


class Really(Exactly):
    """The graph in real numbers: nothing is rounded, but for casts to other types by jumps."""

    def node(self, kind, x):
        return x


class Conforming(Exactly):
    """One conforming implementation, drawn: orders of sums, fused or not, intermediates rounded or
    wide, functions off by what the model allows; exp is never below 0."""

    ULPS = {"tanh": 2, "rsqrt": 2}
    FUNCTIONS = ("exp", "expm1", "log", "log1p", "tanh", "logistic", "erf", "sin", "cos", "rsqrt",
                 *TURNS)

    def __init__(self, rng):
        self.rng = rng
        self.wide, self.fused = rng.random() < 0.3, rng.random() < 0.5
        self.lean = rng.choice((-1, 0, 1))  # the sign of the errors of functions; 0: either

    def round(self, x, kind):
        try:
            return decode(kind, encode(kind, x))
        except AssertionError as e:
            raise Undefined from e

    @staticmethod
    def is_exact(word, x):
        """Whether that is a value which C11, F.10, gives exactly: exp(0) = 1 and its like."""
        return x == 0 or x == 1 and word in ("exp", "cos", "cosh")

    def operation(self, x, word=None):
        if word in self.FUNCTIONS and not self.is_exact(word, x):
            ulps = self.ULPS.get(word, 4)
            e = max(x.numerator.bit_length() - x.denominator.bit_length() - 1 if x else -9999,
                    FORMATS[self.kind][1])
            while x and e > FORMATS[self.kind][1] and F(2) ** e > abs(x):
                e -= 1
            unit = F(2) ** (e - FORMATS[self.kind][0] + 1)
            sign = self.lean or self.rng.choice((-1, 1))
            share = F(self.rng.randint(0, 1 << 20), 1 << 20) if self.rng.random() < 0.5 else 1
            moved = x + sign * share * (ulps - F(3, 4)) * unit
            return self.round(max(moved, F(0)) if word == "exp" else moved, self.kind)
        return x if self.wide else self.round(x, self.kind)

    def total(self, terms):
        kind = "f64" if self.kind == "f64" else "f32"
        terms = list(terms)
        if not terms:
            return F(0)
        if self.rng.random() < 0.5:
            self.rng.shuffle(terms)
        blocks = self.rng.choice((1, 2, 4, 8))
        sums = [F(0)] * blocks
        for i, x in enumerate(terms):
            sums[i % blocks] = self.round(sums[i % blocks] + x, kind)
        while len(sums) > 1:
            sums = [self.round(sum(sums[i:i + 2], F(0)), kind) for i in range(0, len(sums), 2)]
        return sums[0]

    def product(self, factors):
        factors = [F(1), *factors]
        while len(factors) > 1:  # any two that are left
            x = factors.pop(self.rng.randrange(len(factors)))
            y = factors.pop(self.rng.randrange(len(factors)))
            factors.append(self.operation(x * y))
        return factors[0]

    def dot(self, pairs):
        kind = "f64" if self.kind == "f64" else "f32"
        if not self.fused:
            return self.total([self.round(a * b, kind) for a, b in pairs])
        return self.total([a * b for a, b in pairs])

    def node(self, kind, x):
        return x if self.wide and self.rng.random() < 0.5 else self.round(x, kind)


HOW = [Exactly()]


class Tensor:
    """An expression: its text, its shape, and the exact element at an index."""

    def __init__(self, text, shape, at):
        self.text, self.shape, self.kept, self.make = text, tuple(shape), {}, at

    def at(self, index):
        if index not in self.kept:
            self.kept[index] = self.make(index)
        return self.kept[index]

    def indices(self):
        return itertools.product(*(range(n) for n in self.shape))


def aligned(tensor, index):
    """Where a broadcast element comes from."""
    own = index[len(index) - len(tensor.shape):]
    return tuple(0 if n == 1 else i for n, i in zip(tensor.shape, own))


def broadcast(a, b):
    rank = max(len(a), len(b))
    a, b = (1,) * (rank - len(a)) + a, (1,) * (rank - len(b)) + b
    if any(x != y and 1 not in (x, y) for x, y in zip(a, b)):
        raise Undefined
    return tuple(y if x == 1 else x for x, y in zip(a, b))


def unary(word, x):
    return Tensor(f"{word}({x.text})", x.shape,
                  lambda i: HOW[0].operation(UNARY[word](x.at(i)), word))


def binary(word, x, y):
    return Tensor(f"({x.text} {word} {y.text})", broadcast(x.shape, y.shape),
                  lambda i: HOW[0].operation(BINARY[word](x.at(aligned(x, i)),
                                                          y.at(aligned(y, i)))))


def select(c, x, y):
    return Tensor(f"select({c.text}, {x.text}, {y.text})",
                  broadcast(c.shape, broadcast(x.shape, y.shape)),
                  lambda i: (x.at(aligned(x, i)) if c.at(aligned(c, i)) else
                             y.at(aligned(y, i))))


def largest(x, y, least):
    return Tensor(f"{'min' if least else 'max'}({x.text}, {y.text})", broadcast(x.shape, y.shape),
                  lambda i: (min if least else max)(x.at(aligned(x, i)), y.at(aligned(y, i))))


def reduction(word, x, axes):
    shape = tuple(1 if a in axes else n for a, n in enumerate(x.shape))

    def at(i):
        spans = [range(n) if a in axes else [i[a]] for a, n in enumerate(x.shape)]
        terms = [x.at(place) for place in itertools.product(*spans)]
        if word == "argmax":
            return F(terms.index(max(terms)))
        if word == "product":
            return HOW[0].product(terms)
        if word in ("max", "min"):
            return {"max": max, "min": min}[word](terms)
        total = HOW[0].total(terms)
        return total if word == "sum" else HOW[0].operation(total / len(terms))
    return Tensor(f"{word}({x.text}, {sorted(axes)})", shape, at)


def cumsum(x, axis, exclusive, reverse):
    def at(i):
        stop, n = i[axis], x.shape[axis]
        span = (range(stop + exclusive, n) if reverse else range(0, stop + 1 - exclusive))
        return HOW[0].total(x.at(i[:axis] + (k,) + i[axis + 1:]) for k in span)
    return Tensor(f"cumsum({x.text}, {axis}, {exclusive}, {reverse})", x.shape, at)


def transpose(x, axes):
    return Tensor(f"transpose({x.text}, {list(axes)})", [x.shape[a] for a in axes],
                  lambda i: x.at(tuple(i[axes.index(a)] for a in range(len(axes)))))


def cut(x, axis, first, last, step):
    span = range(x.shape[axis])[first:last:step]
    return Tensor(f"slice({x.text}, {axis}, {first}, {last}, {step})",
                  x.shape[:axis] + (len(span),) + x.shape[axis + 1:],
                  lambda i: x.at(i[:axis] + (span[i[axis]],) + i[axis + 1:]))


def pad(x, axis, before, after, value):
    size = x.shape[axis]

    def at(i):
        k = i[axis] - before
        return x.at(i[:axis] + (k,) + i[axis + 1:]) if 0 <= k < size else F(value)
    return Tensor(f"pad({x.text}, {axis}, {before}, {after}, {value})",
                  x.shape[:axis] + (size + before + after,) + x.shape[axis + 1:], at)


def concat(x, y, axis):
    n = x.shape[axis]
    return Tensor(f"concat({axis}, {x.text}, {y.text})",
                  x.shape[:axis] + (n + y.shape[axis],) + x.shape[axis + 1:],
                  lambda i: (x.at(i) if i[axis] < n else
                             y.at(i[:axis] + (i[axis] - n,) + i[axis + 1:])))


def reshape(x, shape):
    places = list(x.indices())

    def at(i):
        flat = 0
        for n, k in zip(shape, i):
            flat = flat * n + k
        return x.at(places[flat])
    return Tensor(f"reshape({x.text}, {list(shape)})", shape, at)


def split(x, axis, parts):
    y = reshape(x, (*x.shape[:axis], parts, x.shape[axis] // parts, *x.shape[axis + 1:]))
    y.text = f"split({x.text}, {axis}, {parts})"
    return y


def join(x, axis):
    y = reshape(x, (*x.shape[:axis], x.shape[axis] * x.shape[axis + 1], *x.shape[axis + 2:]))
    y.text = f"join({x.text}, {axis})"
    return y


def einsum(text, x, y):
    terms, result = text.split("->")
    left, right = terms.split(",")
    size = dict(zip(left + right, x.shape + y.shape))
    inner = [c for c in size if c not in result]

    def at(i):
        pairs = []
        for k in itertools.product(*(range(size[c]) for c in inner)):
            place = dict(zip(list(result) + inner, i + k))
            pairs.append((x.at(tuple(place[c] for c in left)),
                          y.at(tuple(place[c] for c in right))))
        return HOW[0].dot(pairs)
    return Tensor(f'einsum("{text}", {x.text}, {y.text})', [size[c] for c in result], at)


def stored(name, kind, tensor):
    """A node: every element as HOW stores it, and the elements before they are stored."""
    HOW[0].kind = kind
    exact = [tensor.at(i) for i in tensor.indices()]
    kept = dict(zip(tensor.indices(), (HOW[0].node(kind, x) for x in exact)))
    return Tensor(name, tensor.shape, lambda i: kept[i]), exact
