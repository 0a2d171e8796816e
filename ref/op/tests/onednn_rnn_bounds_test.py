# SPDX-License-Identifier: Apache-2.0
"""Bounds of onednn.rnn hold every conforming implementation, and are tight.

A random conforming implementation: f32 sums in a random order, in blocks or not, each product rounded or fused, activations off by
up to their ulps after their last rounding, any of three blends. `ASSAY_PAIRS` sets how many pairs of an implementation and a case
are tried (300), `ASSAY_PROPAGATIONS` which of forward_inference and backward.
"""
import collections
import itertools
import math
import os
import random
import struct

from onednn_rnn_model import Doubles, GATES, Model, Tensor, round_fraction
from onednn_rnn_request import Request, draw, evaluate, numbers
from fractions import Fraction

DIRECTIONS = ["left2right", "right2left", "bidirectional_concat", "bidirectional_sum"]
PAIRS = int(os.environ.get("ASSAY_PAIRS", "300"))
PROPAGATIONS = os.environ.get("ASSAY_PROPAGATIONS", "forward_inference backward").split()
done = 0


def report(name, failure):
    global done
    done += 1
    print(f"{'not ok' if failure else 'ok'} {done} - {name}")
    if failure:
        print("# " + failure)


def f32(x):
    return struct.unpack("f", struct.pack("f", x))[0]


def ulp(x):
    return 2.0 ** max(math.frexp(abs(x))[1] - 24, -149) if x else 2.0 ** -149


class Number:
    """An f32 that remembers the product it came from, so that a sum may fuse it."""
    rng, fusing = random.Random(0), 0.5

    def __init__(self, value, product=None):
        self.value, self.product = f32(value), product

    @staticmethod
    def lift(x):
        return x if isinstance(x, Number) else Number(float(x))

    def fused(self):
        return self.product if self.product is not None and self.rng.random() < self.fusing else self.value

    def __add__(self, other):
        other = Number.lift(other)
        return Number(self.fused() + other.value if self.product is not None else self.value + other.fused())

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
        return Number(float(round_fraction(Fraction(x.value), dtype))) if dtype != "f32" else Number(x.value)

    def perturb(self, exact, ulps):
        push = self.rng.uniform(-1, 1) if self.push is None else self.push
        reach = ulps * ulp(exact) + self.absolute
        moved = f32(exact + push * reach)
        gate = Number(moved if abs(moved - exact) <= reach else exact)  # its own distance, after its rounding
        return self.store(gate, self.narrow)

    def tanh(self, x):
        return self.perturb(math.tanh(x.value), self.ulps["tanh"])

    def logistic(self, x):
        return self.perturb(Doubles.logistic(x.value), self.ulps["logistic"])


class Implementation(Model):
    """A model with its own order of sums and its own blend, inside the evaluation model that it declares."""

    def __init__(self, request, rng, model):
        inputs = {n: Tensor(t.shape, [Number(float(k)) for k in t.data]) for n, t in request.inputs.items()}
        super().__init__(request.attributes, inputs, request.types, Conforming(rng, model, request.types["src_layer"]))
        Number.rng, Number.fusing = rng, {"always": 1.0, "never": 0.0}.get(model.get("fused"), 0.5)
        self.accumulator = model.get("accumulator", "f32")
        self.rng, self.block = rng, rng.choice([1, 2, 4, 1000])
        self.order, self.form = rng.choice(["given", "reversed", "random", "ascending", "descending"]), rng.randint(0, 2)

    def operand(self, x):
        """As it enters a product; bf16 for those who declare that, of either of its neighbours where both are as near."""
        if self.accumulator == "bf16_products" and self.state == "f32":
            return Number(float(round_fraction(Fraction(x.value), "bf16")))
        return x

    def total(self, leaves):
        leaves = [tuple(self.operand(k) for k in leaf) if len(leaf) == 2 else leaf for leaf in leaves]
        if self.accumulator == "f64":
            parts = [leaf[0].value * leaf[1].value if len(leaf) == 2 else leaf[0].value for leaf in leaves]
            self.rng.shuffle(parts)
            return self.rn(Number(sum(parts)))
        terms = [leaf[0] * leaf[1] if len(leaf) == 2 else leaf[0] for leaf in leaves]
        if self.order == "random":
            self.rng.shuffle(terms)
        elif self.order != "given":
            terms.sort(key=lambda k: k.value, reverse=self.order == "descending")
        parts = [sum(terms[i + 1:i + self.block], terms[i]) for i in range(0, len(terms), self.block)]
        return self.rn(sum(parts[1:], parts[0]))

    def blend(self, u, h, o):
        return self.rn((u * h + (1 - u) * o, o + u * (h - o), u * h + (o - u * o))[self.form])


def random_request(rng, types=("f32", "f32", "bf16", "f16"), propagations=("forward_inference", "backward")):
    """Small: all cells, types, directions; dense, sparse, exact-grid and tiny data."""
    cell, dtype = rng.choice(sorted(GATES)), rng.choice(types)
    request = Request(rng, cell, rng.choice(DIRECTIONS), rng.choice(propagations), dtype,
                      scale=rng.choice([0.3, 1.0, 4.0]), projection=cell == "lstm" and rng.random() < 0.3,
                      T=rng.randint(1, 4), N=1, L=rng.choice([1, 1, 2]), DHC=rng.choice([1, 3, 6]), SLC=rng.choice([1, 5]))
    kind = rng.choice(["dense", "dense", "sparse", "grid", "tiny"] if dtype != "f16" else ["dense", "sparse", "grid"])
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
            return f"{name}[{k}] is {float(value)!r}, admitted are {float(low)!r} to {float(high)!r}", used
        if high > low:
            used.append(float(abs(value - (low + high) / 2) / ((high - low) / 2)))
    return None, used


def implementations(rng, pairs, model, **options):
    """The first failure, and how many elements used how many thousandths of their radius."""
    used, done = collections.Counter(), 0
    while done < pairs:
        cases = [random_request(rng, **options) for _ in range(min(pairs - done + 5, 600) // 6)]
        documents = [dict(r.document(), model=model) if model else r.document() for r in cases]
        for request, answer in zip(cases, evaluate(documents, "--bounds")):
            for _ in range(6):
                outputs = Implementation(request, rng, model).run()
                for name, tensor in outputs.items():
                    failure, share = outside(answer, name, [k.value for k in tensor.data])
                    used.update(int(1000 * k) for k in share)
                    if failure:
                        return f"{model} {request.attributes} {sorted(request.types.items())}: {failure}", used
        done += 6 * len(cases)
    return None, used


def quantile(used, part):
    """The share of the radius below which `part` of the elements stay."""
    left = part * sum(used.values())
    for share in sorted(used):
        left -= used[share]
        if left <= 0:
            return share / 1000
    return 1.0


def reference_itself(rng):
    """The reference's own bits, and the model in binary64 without any rounding of f32, lie inside."""
    for cell, direction, propagation in itertools.product(GATES, DIRECTIONS, ("forward_inference", "backward")):
        request = Request(rng, cell, direction, propagation, "f32", T=5, N=2, L=2, DHC=17, DIC=9, SLC=9,
                          projection=cell == "lstm" and direction == "left2right")
        answer = evaluate([request.document()], "--bounds")[0]
        inputs = {n: Tensor(t.shape, [float(k) for k in t.data]) for n, t in request.inputs.items()}
        outputs = Model(request.attributes, inputs, request.types, Doubles).run()
        for name, tensor in outputs.items():
            for kind, values in (("the reference", numbers(answer, name)), ("binary64", [f32(k) for k in tensor.data])):
                failure, _ = outside(answer, name, values)
                if failure:
                    return f"{request.attributes}, {kind}: {failure}"
    return None


def exact_grid(rng):
    """relu on a grid of few bits: sums are exact in any order, so one value alone is admitted."""
    for dtype in ("f32", "bf16"):
        request = Request(rng, "vanilla_rnn", dtype=dtype, activation="relu", T=1, N=3, L=1, SLC=40, DHC=40, SIC=40,
                          optional=lambda: True)
        request.attributes["alpha"] = 0.5
        for name, tensor in request.inputs.items():
            tensor.data = [Fraction(round(k * 8), 8) for k in draw(rng, tensor.shape, "f32").data]
        out = evaluate([request.document()], "--bounds")[0]["outputs"]["dst_layer"]
        if out["lower"] != out["upper"] or out["lower"] != out["bits"]:
            return f"{dtype}: " + str([k for k in zip(out["bits"], out["lower"], out["upper"]) if len(set(k)) > 1][:3])
    return None


def quantised(rng):
    """The reference's own integers lie inside, under both allowed readings; most elements admit one value alone."""
    alone = total = 0
    for dtype, cell, direction in [("u8", "lstm", d) for d in DIRECTIONS] + [("u8", "gru", d) for d in DIRECTIONS] + [
            ("i8", "lstm", d) for d in DIRECTIONS]:
        request = Request(rng, cell, direction, dtype=dtype, T=3, N=2, DHC=9, SLC=9, projection=False)
        request.profile, folded = {}, dict(request.document(), profile={"int8_bias": "folded"})
        plain, other = evaluate([request.document(), folded], "--bounds")
        for name in plain["outputs"]:
            for answer in (plain, other):
                failure, _ = outside(plain, name, numbers(answer, name))
                if failure:
                    return f"{request.attributes}: {failure}"
            if plain["outputs"][name]["dtype"] in ("u8", "i8"):
                pairs = list(zip(numbers(plain, name, "lower"), numbers(plain, name, "upper")))
                alone, total = alone + sum(low == high for low, high in pairs), total + len(pairs)
    return None if alone > 0.9 * total else f"only {alone} of {total} elements admit one value"


def declared_models(rng):
    """Implementations of each model inside the bounds of that model; and some of each wider one outside the standard bounds."""
    wider = [{"tanh_ulps": 40, "logistic_ulps": 40}, {"activation_absolute": 1e-5}, {"accumulator": "bf16_products"},
             {"gates": "state"}, {"states": "wide"}]
    for model in wider + [{"accumulator": "f64"}, {"fused": "always"}, {"fused": "never"}]:
        types = ("bf16", "f16") if {"gates", "states"} & set(model) else ("f32", "bf16")
        failure, _ = implementations(rng, max(PAIRS // 5, 24), model, types=types)
        report(f"implementations that declare {model} lie inside its bounds", failure)
    for model in [m for m in wider if "states" not in m]:
        types = ("bf16",) if "gates" in model else ("f32",)
        outside_standard = False
        for _ in range(12):
            request = random_request(rng, types=types, propagations=("forward_inference",))
            answer = evaluate([request.document()], "--bounds")[0]
            outputs = Implementation(request, rng, model).run()
            outside_standard = outside_standard or any(outside(answer, name, [k.value for k in tensor.data])[0]
                                                       for name, tensor in outputs.items())
        report(f"{model} is seen by the standard bounds", None if outside_standard else "nothing left them")
    widths = {}
    request = Request(rng, "lstm", "left2right", "forward_inference", "f32", T=2, N=2, L=1, SLC=40, DHC=40, projection=False)
    for name, model in (("standard", {}), ("f64", {"accumulator": "f64"}), ("fused", {"fused": "always"})):
        answer = evaluate([dict(request.document(), model=model)], "--bounds")[0]
        widths[name] = sum(high - low for low, high in zip(numbers(answer, "dst_iter_c", "lower"),
                                                           numbers(answer, "dst_iter_c", "upper")))
    failure = None if widths["f64"] < widths["fused"] < widths["standard"] else str({k: float(v) for k, v in widths.items()})
    report("a declared f64 accumulator is held to narrower bounds, and so is fusing", failure)
    bad = [{"accumulator": "f16"}, {"tanh_ulps": -1}, {"tanh": 1}, {"flush": 2}]
    answers = evaluate([dict(request.document(), model=m) for m in bad])
    report("a model that cannot be read is refused", None if all("error" in a for a in answers) else str(answers)[:200])


def main():
    rng = random.Random(9)
    report("the reference and binary64 lie inside, every cell and direction", reference_itself(rng))
    report("exact data admit one value", exact_grid(rng))
    report("quantised outputs admit their own integers", quantised(rng))
    declared_models(rng)
    failure, used = implementations(rng, PAIRS, {}, propagations=PROPAGATIONS)
    report(f"{PAIRS} pairs of a random conforming implementation and a case lie inside", failure)
    shares = " ".join(f"{100 * part:g} % {quantile(used, part):.3f}" for part in (0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 0.999, 1))
    print(f"# radius used, {sum(used.values())} elements: {shares}")
    print(f"1..{done}")


main()
