# SPDX-License-Identifier: Apache-2.0
"""Random conforming implementations of onednn.rnn, each inside the evaluation model that it
declares: for the tests of this folder.

Sums in a random order, in blocks, as a random tree, compensated, or in an f64 accumulator that is
rounded once; each product rounded or fused; activations off by up to their ulps after their last
rounding; any of three blends; numbers below 2^-126 flushed to zero or not. A backward pass of
16-bit data may keep what it needs in the type of the state, and make the rest anew of that.
Derivatives are 1 - y*y or (1 - y)(1 + y), u - u*u or (1 - u)u, their squares fused or not; factors
are multiplied in any order. Of 8-bit data scales are multiplied or divided by, and zero points
taken off before the scale or with the bias.
"""

import math
import random
import struct
from fractions import Fraction

from onednn_rnn_model import GATES, Model, Tensor
from onednn_rnn_numbers import Doubles, round_fraction
from onednn_rnn_request import Request, numbers

DIRECTIONS = ["left2right", "right2left", "bidirectional_concat", "bidirectional_sum"]


PACK, UNPACK = struct.Struct("f").pack, struct.Struct("f").unpack
WORD, HALF = struct.Struct("I"), struct.Struct("e")


def f32(x):
    try:
        return UNPACK(PACK(x))[0]
    except OverflowError:
        return math.copysign(math.inf, x)


def narrowed(x, dtype):
    """An f32 as another float type stores it."""
    if dtype == "f32" or not math.isfinite(x):
        return x
    if dtype == "f16":
        try:
            return HALF.unpack(HALF.pack(x))[0]
        except OverflowError:
            return math.copysign(math.inf, x)
    bits = WORD.unpack(PACK(x))[0]
    bits += 0x7FFF + (bits >> 16 & 1)
    return UNPACK(WORD.pack(bits & 0xFFFF0000))[0]


def ulp(x):
    return 2.0 ** max(math.frexp(abs(x))[1] - 24, -149) if x else 2.0 ** -149


class Number:
    """An f32 that remembers the product it came from, so that a sum may fuse it."""
    __slots__ = ("value", "product", "parts")
    rng, fusing, flushing = random.Random(0), 0.5, False

    def __init__(self, value, product=None):
        value = f32(value)
        if -(2.0 ** -126) < value < 2.0 ** -126 and self.flushing:
            value = 0.0
        self.value, self.product, self.parts = value, product, None

    @staticmethod
    def lift(x):
        return x if isinstance(x, Number) else Number(float(x))

    def fused(self):
        return (
            self.product
            if self.product is not None and self.rng.random() < self.fusing
            else self.value
        )

    def __add__(self, other):
        other = Number.lift(other)
        return Number(
            self.fused() + other.value if self.product is not None else self.value + other.fused()
        )

    def __mul__(self, other):
        product = self.value * Number.lift(other).value
        return Number(product, product)

    def __neg__(self):
        return Number(-self.value, None if self.product is None else -self.product)

    def __sub__(self, other):
        return self + -Number.lift(other)

    def __rsub__(self, other):
        return Number.lift(other) + -self

    def __gt__(self, other):
        return self.value > other

    __radd__, __rmul__ = __add__, __mul__


class Conforming:
    """The arithmetic of one random implementation inside an evaluation model."""

    def __init__(self, rng, model, state):
        self.rng = rng
        self.ulps = {"tanh": model.get("tanh_ulps", 2), "logistic": model.get("logistic_ulps", 4)}
        self.absolute = model.get("activation_absolute", 0)
        self.narrow = state if model.get("gates") == "state" and rng.random() < 0.7 else "f32"
        self.push = rng.choice([0.0, None, 1.0, -1.0])  # exact, random, or always as far as allowed

    @staticmethod
    def number(x):
        return Number(float(x))

    @staticmethod
    def store(x, dtype):
        return Number(narrowed(x.value if isinstance(x, Number) else float(x), dtype))

    def perturb(self, exact, ulps):
        if not math.isfinite(exact):
            return Number(exact)
        push = self.rng.uniform(-1, 1) if self.push is None else self.push
        reach = ulps * ulp(exact) + self.absolute
        moved = f32(exact + push * reach)
        gate = Number(
            moved if abs(moved - exact) <= reach else exact
        )  # its own distance, after its rounding
        return self.store(gate, self.narrow)

    def tanh(self, x):
        return self.perturb(math.tanh(x.value), self.ulps["tanh"])

    def logistic(self, x):
        exact = x.value if math.isnan(x.value) else Doubles.logistic(x.value)
        return self.perturb(exact, self.ulps["logistic"])


class Implementation(Model):
    """A model with its own order of sums and its own blend, inside the evaluation model that it
    declares."""

    def __init__(self, request, rng, model):
        Number.flushing = model.get("flush", True) and rng.random() < 0.3
        inputs = {
            n: Tensor(t.shape, [Number(float(k)) for k in t.data])
            for n, t in request.inputs.items()
        }
        super().__init__(
            request.attributes,
            inputs,
            request.types,
            Conforming(rng, model, request.types["src_layer"]),
        )
        Number.rng, Number.fusing = rng, {"always": 1.0, "never": 0.0}.get(model.get("fused"), 0.5)
        self.accumulator = model.get("accumulator") or rng.choice(["f32", "f32", "f32", "f64"])
        self.rng, self.block = rng, rng.choice([1, 2, 4, 1000])
        self.order, self.form = rng.choice(
            ["given", "reversed", "random", "ascending", "descending", "tree", "compensated"]
        ), rng.randint(0, 2)
        self.squares, self.apart, self.shuffles = (rng.random() < 0.5 for _ in range(3))
        self.scales, self.shifts = rng.choice(["divided", "by one", "inverse"]), rng.randint(0, 2)
        self.keeps = {
            name: rng.random() < (0.3 if name == "all" else 0.5)
            for name in self.GATES_KEPT
            + ("all", "gradients", "ua made anew", "s made anew", "s narrow", "c as stored",
               "m made anew", "m narrow")
        }

    def operand(self, x):
        """As it enters a product; bf16 for those who declare that, of either of its neighbours
        where both are as near."""
        if self.accumulator == "bf16_products" and self.state == "f32":
            return Number(float(round_fraction(Fraction(x.value), "bf16")))
        return x

    def total(self, leaves):
        leaves = [
            tuple(self.operand(k) for k in leaf) if len(leaf) == 2 else leaf for leaf in leaves
        ]
        if self.accumulator == "f64":
            parts = [
                leaf[0].value * leaf[1].value if len(leaf) == 2 else leaf[0].value
                for leaf in leaves
            ]
            self.rng.shuffle(parts)
            return self.rn(Number(sum(parts)))
        terms = [leaf[0] * leaf[1] if len(leaf) == 2 else leaf[0] for leaf in leaves]
        if self.order in ("tree", "compensated"):
            return self.rn(getattr(self, self.order)(terms))
        if self.order == "random":
            self.rng.shuffle(terms)
        elif self.order != "given":
            terms.sort(key=lambda k: k.value, reverse=self.order == "descending")
        parts = [
            sum(terms[i + 1 : i + self.block], terms[i]) for i in range(0, len(terms), self.block)
        ]
        return self.rn(sum(parts[1:], parts[0]))

    def tree(self, terms):
        while len(terms) > 1:
            a, b = (terms.pop(self.rng.randrange(len(terms))) for _ in range(2))
            terms.append(a + b)
        return terms[0]

    @staticmethod
    def compensated(terms):
        """Kahan and Babushka: what each addition loses is added in the end."""
        total, lost = terms[0], Number(0.0)
        for term in terms[1:]:
            after = Number(total.value + term.value)
            large, less = sorted((total, term), key=lambda k: -abs(k.value))
            lost += Number(Number(large.value - after.value).value + less.value)
            total = after
        return Number(total.value + lost.value) if math.isfinite(lost.value) else total

    # What a library writes into the workspace of a training, by the names of Model.step.
    GATES_KEPT = ("u", "r", "ua", "w", "o", "y", "i", "f", "g", "t")

    def narrow(self, x, dtype=None):
        return self.arithmetic.store(x, dtype or self.state)

    def remade(self, v):
        """What a backward pass makes of what it kept; `v` is changed."""
        if "ua" in v and self.attention and self.keeps["ua made anew"]:
            v["ua"] = [self.rn((1 - v["a"]) * k) for k in v["u"]]
        if v.get("s") and self.keeps["s made anew"]:
            v["s"] = [self.rn(r * h) for r, h in zip(v["r"], v["h'"])]
            if self.keeps["s narrow"]:
                v["s"] = [self.narrow(k) for k in v["s"]]
        if "c" in v and self.keeps["c as stored"]:
            v["c"] = [self.rc(k) for k in v["c"]]
            v["t"] = [self.arithmetic.tanh(k) for k in v["c"]]
        if "ms" in v and self.keeps["m made anew"]:
            v["ms"] = [self.rn(o * t) for o, t in zip(v["o"], v["t"])]
            if self.keeps["m narrow"]:
                v["ms"] = [self.narrow(k) for k in v["ms"]]

    def slope(self, squared, *parts):
        """A derivative as a square taken off, or as a product whose factors may join others."""
        if self.squares:
            return squared
        slope = parts[0] * parts[1]
        slope.parts = parts if self.apart else None
        return slope

    def tanh_slope(self, y):
        return self.slope(super().tanh_slope(y), 1 - y, 1 + y)

    def logistic_slope(self, y):
        return self.slope(super().logistic_slope(y), 1 - y, y)

    def product(self, *factors):
        factors = [part for factor in factors for part in getattr(factor, "parts", 0) or [factor]]
        if self.shuffles:
            self.rng.shuffle(factors)
        return super().product(*factors)

    def kept(self, v):
        if self.state == "f32":
            return v
        v = dict(v)
        for name in self.GATES_KEPT:
            if v.get(name) and (self.keeps["all"] or self.keeps[name]):
                v[name] = [self.narrow(k) for k in v[name]]
        if not self.attention and "u" in v:
            v["ua"] = v["u"]
        self.remade(v)
        return v

    def entering(self, x):
        narrow = self.state != "f32" and self.keeps["all" if self.keeps["all"] else "gradients"]
        return self.narrow(x) if narrow else x

    def forward(self):
        outputs = super().forward()
        self.seen = outputs["dst_layer"]
        return outputs

    # 8-bit data: integers are exact; what scales and shifts do to them is in f32.
    def rescaled(self, integer, *scales):
        """An integer over the product of scales."""
        number = Number(float(integer))
        if self.scales == "by one":
            for scale in scales:
                number = Number(number.value / scale)
            return number
        scale = Number(scales[0])
        for other in scales[1:]:
            scale = Number(scale.value * other)
        return number * Number(1 / scale.value) if self.scales == "inverse" else Number(
            number.value / scale.value
        )

    def quantised_gate(self, g, recurrent, v):
        l, d, x = v
        S, Z, scales = self.a["data_scale"], self.a["data_shift"], self.a.get("weights_scales", [1])
        W, U = self.inputs["weights_layer"], self.inputs["weights_iter"]
        z = []
        for o in range(self.DHC):
            ws = scales[g * self.DHC + o] if len(scales) > 1 else scales[0]
            acc = sum(x[i] * int(W[l, d, i, g, o].value) for i in range(self.SLC))
            acc += sum(recurrent[i] * int(U[l, d, i, g, o].value) for i in range(self.SIC))
            column = sum(int(W[l, d, i, g, o].value) for i in range(self.SLC))
            column += sum(int(U[l, d, i, g, o].value) for i in range(self.SIC))
            bias = self.get("bias", (l, d, g, o))
            if self.shifts == 0:  # taken off the integer
                z.append(self.rescaled(acc - Z * column, ws, S) + bias)
            elif self.shifts == 1:  # taken off the bias
                z.append(self.rescaled(acc, ws, S) + (bias - self.rescaled(Z * column, ws, S)))
            else:  # a term of its own
                z.append((self.rescaled(acc, ws, S) - self.rescaled(Z * column, ws, S)) + bias)
        return z

    def saturate(self, x):
        low, high = (0, 255) if self.state == "u8" else (-128, 127)
        return min(max(round(self.rn(x).value), low), high)

    def quantised_step(self, l, d, x, h, c):
        S, Z = Number(self.a["data_scale"]), Number(self.a["data_shift"])
        x, h = ([int(getattr(k, "value", k)) for k in row] for row in (x, h))
        every, v = range(self.DHC), (l, d, x)
        gate = lambda g, recurrent: self.quantised_gate(g, recurrent, v)
        q = lambda k: self.saturate(k * S + Z)
        if self.cell == "lstm":
            i, f, o_ = (self.logistic(gate(k, h)) for k in (0, 1, 3))
            g = self.tanh(gate(2, h))
            new = [self.rn(f[o] * c[o] + i[o] * g[o]) for o in every]
            m = [q(self.rn(o_[o] * t)) for o, t in enumerate(self.tanh(new))]
            if not self.projected:
                return m, new
            R, scales = self.inputs["weights_projection"], self.a.get("projection_scales", [1])
            out = []
            for j in range(self.DIC):
                ps = scales[j] if len(scales) > 1 else scales[0]
                less = [m[k] - int(Z.value) for k in every]
                acc = sum(less[k] * int(R[l, d, k, j].value) for k in every)
                out.append(self.saturate(self.rescaled(acc, ps) + Z))
            return out, new
        u, r = self.logistic(gate(0, h)), self.logistic(gate(1, h))
        less = [Number(float(k)) - Z for k in h]
        state = [self.rescaled(k.value, S.value) for k in less]
        s = [q(r[o] * state[o]) if self.apart else self.saturate(less[o] * r[o] + Z) for o in every]
        n = self.tanh(gate(2, s))
        return [q(self.blend(u[o], state[o], n[o])) for o in every], None

    def blend(self, u, h, o):
        return self.rn((u * h + (1 - u) * o, o + u * (h - o), u * h + (o - u * o))[self.form])


def random_request(
    rng, types=("f32", "f32", "bf16", "f16"), propagations=("forward_inference", "backward")
):
    """Small: all cells, types, directions; dense, sparse, exact-grid and tiny data."""
    cell, dtype = rng.choice(sorted(GATES)), rng.choice(types)
    request = Request(
        rng,
        cell,
        rng.choice(DIRECTIONS),
        rng.choice(propagations),
        dtype,
        scale=rng.choice([0.3, 1.0, 4.0]),
        projection=cell == "lstm" and rng.random() < 0.3,
        T=rng.randint(1, 4),
        N=1,
        L=rng.choice([1, 1, 2]),
        DHC=rng.choice([1, 3, 6]),
        SLC=rng.choice([1, 5]),
    )
    kind = rng.choice(
        ["dense", "dense", "sparse", "grid", "tiny"]
        if dtype != "f16"
        else ["dense", "sparse", "grid"]
    )
    for name, tensor in request.inputs.items():
        if kind == "sparse" and name.startswith("weights"):
            tensor.data = [k if rng.random() < 0.3 else Fraction(0) for k in tensor.data]
        if kind == "grid":
            tensor.data = [Fraction(round(k * 16), 16) for k in tensor.data]
        if kind == "tiny" and name != "attention" and request.types[name] == "f32":
            tensor.data = [round_fraction(k * Fraction(2) ** -70, "f32") for k in tensor.data]
    return request


def outside(answer, name, values):
    """The first value outside its interval; how much of each radius was used."""
    lower, upper, used = numbers(answer, name, "lower"), numbers(answer, name, "upper"), []
    for k, (value, low, high) in enumerate(zip(values, lower, upper)):
        value = Fraction(value)
        if not low <= value <= high:
            return (
                f"{name}[{k}] is {float(value)!r}, admitted are {float(low)!r} to {float(high)!r}",
                used,
            )
        if high > low:
            used.append(float(abs(value - (low + high) / 2) / ((high - low) / 2)))
    return None, used
