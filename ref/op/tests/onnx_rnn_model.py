# SPDX-License-Identifier: Apache-2.0
"""ONNX's RNN, GRU and LSTM from their text, with plain loops over any kind of number, and random
requests of them: for the tests of this folder.

Nothing of it knows the engine: gates are read from W, R and B as the text concatenates them, a
sequence is a list of its own steps, and a reverse one is that list turned round. The arithmetic is
`Exact` (fractions, each node rounded once to f32; functions from 60 digits and more) or
`Conforming` (one random implementation in f32 within the evaluation model).
"""

import decimal
import json
import math
import os
import subprocess
from fractions import Fraction

from onednn_rnn_conforming import Number, f32, narrowed, ulp
from onednn_rnn_numbers import round_fraction
from onednn_rnn_request import to_bits, to_number

ASSAY = os.path.join(os.environ.get("BUILD", "build"), "assay")
GATES = {"onnx.rnn": "i", "onnx.gru": "zrh", "onnx.lstm": "iofc"}
FUNCTIONS = {"onnx.rnn": 1, "onnx.gru": 2, "onnx.lstm": 3}
HAVE_ALPHA = {"Affine": None, "LeakyRelu": 0.01, "ThresholdedRelu": 1.0, "ScaledTanh": None,
              "HardSigmoid": 0.2, "Elu": 1.0}
HAVE_BETA = {"Affine": None, "ScaledTanh": None, "HardSigmoid": 0.5}
ACTIVATIONS = ["Relu", "Tanh", "Sigmoid", *HAVE_ALPHA, "Softsign", "Softplus"]


def single(x):
    return Fraction(f32(x))


# ---- arithmetics -------------------------------------------------------------

class Exact:
    """Every node the exact value of its formula, rounded once."""

    @staticmethod
    def number(x):
        return x

    @staticmethod
    def store(x, dtype):
        return round_fraction(x, dtype)

    @staticmethod
    def kept(x, dtype):
        return x

    @staticmethod
    def total(leaves):
        return round_fraction(sum((math.prod(leaf) for leaf in leaves), Fraction(0)), "f32")

    @classmethod
    def complement(cls, x):
        return cls.total([(Fraction(1),), (-x, Fraction(1))])

    @classmethod
    def blend(cls, z, before, candidate):
        return round_fraction((1 - z) * candidate + z * before, "f32")

    @staticmethod
    def value(x):
        return x

    @classmethod
    def apply(cls, name, alpha, beta, x):
        one = {
            "Relu": lambda: max(x, 0),
            "Affine": lambda: alpha * x + beta,
            "LeakyRelu": lambda: x if x >= 0 else alpha * x,
            "ThresholdedRelu": lambda: x if x >= alpha else Fraction(0),
            "HardSigmoid": lambda: min(max(alpha * x + beta, 0), 1),
            "Softsign": lambda: x / (1 + abs(x)),
        }
        if name in one:
            return round_fraction(Fraction(one[name]()), "f32")
        if name == "Elu" and x >= 0:
            return x
        with decimal.localcontext() as context:
            context.prec = 160
            d = lambda k: decimal.Decimal(k.numerator) / decimal.Decimal(k.denominator)
            if name == "Tanh" or name == "ScaledTanh":
                e = (2 * d(beta * x if name == "ScaledTanh" else x)).exp()
                y = (e - 1) / (e + 1) * (d(alpha) if name == "ScaledTanh" else 1)
            elif name == "Sigmoid":
                y = 1 / (1 + (-d(x)).exp())
            elif name == "Elu":
                y = d(alpha) * (d(x).exp() - 1)
            else:
                y = d(max(x, 0)) + (1 + (-d(abs(x))).exp()).ln()
        return round_fraction(Fraction(y), "f32")


class Conforming:
    """One implementation that conforms: its order of sums, its fusions, its forms of the formulas,
    errors of its functions as large as the model has them, values kept in f32 or in 16 bits."""

    def __init__(self, rng, dtype):
        self.rng, self.dtype = rng, dtype
        Number.rng, Number.fusing, Number.flushing = rng, 0.5, rng.random() < 0.3
        self.order = rng.choice(["given", "reversed", "random", "ascending", "descending"])
        self.wide = rng.random() < 0.3
        self.push = rng.choice([0.0, None, 1.0, -1.0])
        self.form, self.keeps = rng.randint(0, 2), rng.random() < 0.4
        self.wide_states = rng.random() < 0.5

    @staticmethod
    def number(x):
        return Number(float(x))

    def store(self, x, dtype):
        """A state: as it is in outputs, or as it was computed; an output is rounded in the end."""
        return x if self.wide_states else Number(narrowed(x.value, dtype))

    def kept(self, x, dtype):
        """What lies between nodes: as it is, or in the operator's type."""
        return Number(narrowed(x.value, dtype)) if self.keeps else x

    def total(self, leaves):
        if self.wide:
            return Number(sum(math.prod(float(k.value) for k in leaf) for leaf in leaves))
        terms = [leaf[0] * leaf[1] if len(leaf) == 2 else leaf[0] for leaf in leaves]
        if self.order == "random":
            self.rng.shuffle(terms)
        elif self.order != "given":
            terms.sort(key=lambda k: k.value, reverse=self.order == "descending")
        result = terms[0]
        for term in terms[1:]:
            result = result + term
        return Number(result.value)

    def complement(self, x):
        return 1 - x

    def blend(self, z, before, candidate):
        if self.form == 0:
            return Number(((1 - z) * candidate + z * before).value)
        if self.form == 1:
            return Number((candidate + z * (before - candidate)).value)
        return Number((z * before + candidate - z * candidate).value)

    @staticmethod
    def value(x):
        return x.value

    def off(self, exact, ulps):
        push = self.rng.uniform(-1, 1) if self.push is None else self.push
        reach = ulps * ulp(exact)
        moved = f32(exact + push * reach)
        return Number(moved if abs(moved - exact) <= reach else f32(exact))

    def apply(self, name, alpha, beta, x):
        a, b, v = Number(float(alpha)), Number(float(beta)), x.value
        if name == "Tanh":
            return self.off(math.tanh(v), 2)
        if name == "Sigmoid":
            return self.off(1 / (1 + math.exp(-v)) if v > -700 else 0.0, 4)
        if name == "Relu":
            return x if v > 0 else Number(0.0)
        if name == "Affine":
            return Number((a * x + b).value)
        if name == "LeakyRelu":
            return x if v >= 0 else Number((a * x).value)
        if name == "ThresholdedRelu":
            return x if v >= a.value else Number(0.0)
        if name == "HardSigmoid":
            return Number(min(max((a * x + b).value, 0.0), 1.0))
        if name == "ScaledTanh":
            return Number((a * self.off(math.tanh(Number((b * x).value).value), 2)).value)
        if name == "Elu":
            if v >= 0:
                return x
            if self.form:
                return Number((a * self.off(math.expm1(v), 4)).value)
            return Number((a * Number((self.off(math.exp(v), 4) - 1).value)).value)
        if name == "Softsign":
            return Number(v / Number(1 + abs(v)).value)
        if self.form and v > 0:
            return Number(v + self.off(math.log1p(math.exp(-v)), 4).value)
        if self.form or v > 80:
            return self.off(max(v, 0) + math.log1p(math.exp(-abs(v))), 4)
        return self.off(math.log(Number(1 + self.off(math.exp(v), 4).value).value), 4)


# ---- the operators -----------------------------------------------------------

class Model:
    """`request`: op, attributes, inputs as {name: (shape, numbers)}, dtype. `choices`: options of
    the suite's choices. The outputs are {name: (shape, numbers)}."""

    def __init__(self, request, arithmetic, choices=None):
        self.op, self.a, self.dtype = request["op"], request["attributes"], request["dtype"]
        self.choices = choices or {}
        self.inputs, self.arithmetic = request["inputs"], arithmetic
        x = self.inputs["X"][0]
        self.first = self.a.get("layout", 0)
        self.T, self.N = (x[1], x[0]) if self.first else (x[0], x[1])
        self.I, self.H = x[2], self.inputs["R"][0][2]
        self.D = 2 if self.a.get("direction") == "bidirectional" else 1
        self.G = len(GATES[self.op])
        self.functions, self.parameters = self.read_activations()

    def read_activations(self):
        each = FUNCTIONS[self.op]
        names = self.a.get("activations") or (["Sigmoid"] + ["Tanh"] * (each - 1)
                                              if each > 1 else ["Tanh"]) * self.D
        alphas, betas = (list(self.a.get(k, [])) for k in ("activation_alpha", "activation_beta"))
        functions, parameters = [], []
        for place, name in enumerate(names[: each * self.D]):
            values = []
            for table, given in ((HAVE_ALPHA, alphas), (HAVE_BETA, betas)):
                value = table.get(name, 0.0)
                if name in table and self.choices.get("parameters") == "by_place":
                    value = given[place] if place < len(given) else value
                elif name in table and given:
                    value = given.pop(0)
                values.append(single(value or 0.0))
            functions.append(name)
            parameters.append(values)
        return functions, parameters

    def get(self, name, *index):
        if name not in self.inputs:
            return None
        shape, data = self.inputs[name]
        at = 0
        for size, i in zip(shape, index):
            at = at * size + i
        return self.arithmetic.number(data[at])

    def state(self, name, d, n):
        if name not in self.inputs:
            return [self.arithmetic.number(Fraction(0))] * self.H
        at = (n, d) if self.first else (d, n)
        return [self.get(name, *at, k) for k in range(self.H)]

    def function(self, d, k, x):
        """The k-th activation of direction d, of an argument brought into its range."""
        place = d * FUNCTIONS[self.op] + k
        if "clip" in self.a and not (k == 2 and self.choices.get("clipping") == "inputs_alone"):
            most = single(self.a["clip"])
            value = self.arithmetic.value(x)
            x = self.arithmetic.number(most if value > most else -most) if abs(value) > most else x
        alpha, beta = self.parameters[place]
        return self.arithmetic.kept(
            self.arithmetic.apply(self.functions[place], alpha, beta, x), self.dtype)

    def sum(self, d, g, k, x, h, more=()):
        """Row k of gate g: x.W + h.R + Wb + Rb, and more; x or h None: without it and its bias."""
        row, leaves = g * self.H + k, list(more)
        if x is not None:
            leaves += [(x[j], self.get("W", d, row, j)) for j in range(self.I)]
            leaves += [(self.get("B", d, row),)] if "B" in self.inputs else []
        if h is not None:
            leaves += [(h[j], self.get("R", d, row, j)) for j in range(self.H)]
            leaves += [(self.get("B", d, self.G * self.H + row),)] if "B" in self.inputs else []
        return self.arithmetic.total(leaves)

    def step(self, d, x, h, c):
        every, a = range(self.H), self.arithmetic
        rows = lambda g, *of: [self.sum(d, g, k, *of) for k in every]
        if self.op == "onnx.rnn":
            return [a.store(self.function(d, 0, z), self.dtype) for z in rows(0, x, h)], c
        if self.op == "onnx.gru":
            z, r = ([self.function(d, 0, k) for k in rows(g, x, h)] for g in (0, 1))
            if self.a.get("linear_before_reset", 0):
                w = [a.kept(k, self.dtype) for k in rows(2, None, h)]
                total = [self.sum(d, 2, k, x, None, [(r[k], w[k])]) for k in every]
            else:
                total = rows(2, x, [a.kept(a.total([(r[k], h[k])]), self.dtype) for k in every])
            new = [self.function(d, 1, k) for k in total]
            return [a.store(a.blend(z[k], h[k], new[k]), self.dtype) for k in every], c
        peephole = lambda p, k, of: (
            [(self.get("P", d, p * self.H + k), of[k])] if "P" in self.inputs else [])
        gate = lambda g, p, of: [
            self.function(d, 0, self.sum(d, g, k, x, h, peephole(p, k, of))) for k in every]
        coupled = self.a.get("input_forget", 0)
        keeps_forget = self.choices.get("coupling") == "input_of_forget"
        if coupled and keeps_forget:
            f = gate(2, 2, c)
            i = [a.kept(a.complement(k), self.dtype) for k in f]
        else:
            i = gate(0, 0, c)
            f = [a.kept(a.complement(k), self.dtype) for k in i] if coupled else gate(2, 2, c)
        g = [self.function(d, 1, k) for k in rows(3, x, h)]
        new = [a.kept(a.total([(f[k], c[k]), (i[k], g[k])]), self.dtype) for k in every]
        o = gate(1, 1, new)
        h = [a.store(a.total([(o[k], self.function(d, 2, new[k]))]), self.dtype) for k in every]
        return h, [a.store(k, self.dtype) for k in new]

    def run(self):
        zero = self.arithmetic.number(Fraction(0))
        Y = {}
        states = {"Y_h": {}, "Y_c": {}}
        for d in range(self.D):
            turned = self.a.get("direction") == "reverse" or d == 1
            for n in range(self.N):
                length = self.T
                if "sequence_lens" in self.inputs:
                    length = int(self.inputs["sequence_lens"][1][n])
                h, c = self.state("initial_h", d, n), self.state("initial_c", d, n)
                times = list(range(length))
                for t in reversed(times) if turned else times:
                    at = (n, t) if self.first else (t, n)
                    x = [self.get("X", *at, j) for j in range(self.I)]
                    h, c = self.step(d, x, h, c)
                    Y[t, d, n] = h
                for t in range(length, self.T):
                    held = self.choices.get("beyond_length") == "state"
                    beyond = self.state("initial_h", d, n) if turned else h
                    Y[t, d, n] = beyond if held else [zero] * self.H
                if not length and self.choices.get("no_steps") == "zero":
                    h = c = [zero] * self.H
                states["Y_h"][d, n], states["Y_c"][d, n] = h, c
        flat = lambda rows: [k for row in rows for k in row]
        T, D, N, H = self.T, self.D, self.N, self.H
        every = [(t, d, n) for t in range(T) for d in range(D) for n in range(N)]
        pairs = [(d, n) for d in range(D) for n in range(N)]
        if self.first:
            every.sort(key=lambda k: (k[2], k[0], k[1]))
            pairs.sort(key=lambda k: (k[1], k[0]))
        outputs = {"Y": ([N, T, D, H] if self.first else [T, D, N, H], flat(Y[k] for k in every))}
        for name in ("Y_h", "Y_c")[: 2 if self.op == "onnx.lstm" else 1]:
            shape = [N, D, H] if self.first else [D, N, H]
            outputs[name] = (shape, flat(states[name][k] for k in pairs))
        return outputs


# ---- requests ----------------------------------------------------------------

def random_request(rng, op, dtype="f32", activations=None, **sizes):
    """A request of random form. `activations`: whether its functions are drawn too."""
    T, N, I, H = (sizes.get(k) or rng.randint(1, most) for k, most in zip("TNIH", (4, 3, 5, 4)))
    direction = rng.choice(["forward", "reverse", "bidirectional"])
    D, G, layout = 2 if direction == "bidirectional" else 1, len(GATES[op]), rng.randint(0, 1)
    scale = rng.choice([0.5, 1.0, 3.0])
    draw = lambda *shape: (list(shape), [
        round_fraction(Fraction(rng.uniform(-scale, scale)), dtype)
        for _ in range(math.prod(shape))])
    swap = lambda a, b, c: (b, a, c) if layout else (a, b, c)
    inputs = {"X": draw(*swap(T, N, I)), "W": draw(D, G * H, I), "R": draw(D, G * H, H)}
    attributes = {"direction": direction, "layout": layout}
    if rng.random() < 0.7:
        inputs["B"] = draw(D, 2 * G * H)
    if rng.random() < 0.6:
        inputs["sequence_lens"] = ([N], [rng.randint(0, T) for _ in range(N)])
    if rng.random() < 0.7:
        inputs["initial_h"] = draw(*swap(D, N, H))
    if op == "onnx.lstm" and rng.random() < 0.7:
        inputs["initial_c"] = draw(*swap(D, N, H))
    if op == "onnx.lstm" and rng.random() < 0.5:
        inputs["P"] = draw(D, 3 * H)
    if rng.random() < 0.4:
        attributes["clip"] = f32(rng.uniform(0.05, 1.5))
    if rng.random() < 0.5:
        attributes["hidden_size"] = H
    if op == "onnx.lstm" and rng.random() < 0.3:
        attributes["input_forget"] = 1
    if op == "onnx.gru" and rng.random() < 0.5:
        attributes["linear_before_reset"] = rng.choice([1, -1, 2])
    if activations if activations is not None else rng.random() < 0.6:
        names = [rng.choice(ACTIVATIONS) for _ in range(FUNCTIONS[op] * D)]
        attributes["activations"] = names
        for key, table in (("activation_alpha", HAVE_ALPHA), ("activation_beta", HAVE_BETA)):
            takers = [k for k in names if k in table]
            least = max([0] + [i + 1 for i, k in enumerate(takers) if table[k] is None])
            count = rng.randint(least, len(takers))
            if count:
                attributes[key] = [f32(rng.uniform(-1.2, 1.2)) for _ in range(count)]
    return {"op": op, "dtype": dtype, "attributes": attributes, "inputs": inputs}


def document(request):
    bits = lambda name, data: (
        [int(k).to_bytes(4, "big").hex() for k in data] if name == "sequence_lens"
        else [to_bits(k, request["dtype"]) for k in data])
    return {"op": request["op"], "attributes": request["attributes"], "inputs": {
        name: {"dtype": "i32" if name == "sequence_lens" else request["dtype"], "shape": shape,
               "bits": bits(name, data)}
        for name, (shape, data) in request["inputs"].items()}}


def evaluate(documents, *options):
    text = "\n".join(json.dumps({"cases": documents}).splitlines())
    done = subprocess.run([ASSAY, "eval", *options, "-"], input=text, capture_output=True,
                          text=True, check=False)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(answers) == len(documents), done.stderr
    return answers


INFINITE = {"7f800000": math.inf, "ff800000": -math.inf, "7f80": math.inf, "ff80": -math.inf,
            "7c00": math.inf, "fc00": -math.inf}


def numbers(answer, name, key="bits"):
    tensor = answer["outputs"][name]
    return [INFINITE[k] if k in INFINITE else to_number(k, tensor["dtype"]) for k in tensor[key]]
