# SPDX-License-Identifier: Apache-2.0
"""Conforming gradients of convolution and of pools, drawn anew each time: sums in many orders,
by kernel, by map and by sample, parts that are stored or not, divisions by reciprocals. None is
accused, and an answer off by a thousandth is seen. ASSAY_SEED repeats a run."""

import math
import os
import secrets
import sys

import numpy as np

sys.path.insert(0, "harness/tests")
sys.path.insert(0, "ref/op/tests/declared")
import fleet  # noqa: E402
from ask import evaluate, tensor  # noqa: E402
from tap import check, finish  # noqa: E402
from windows import seen_along  # noqa: E402

FULL = os.environ.get("ASSAY_FULL") == "1"
SEED = int(os.environ.get("ASSAY_SEED", secrets.randbits(32)))
NAMES = ("conv", "average_pool", "max_pool", "lp_pool", "global_average_pool", "global_max_pool",
         "global_lp_pool")
KINDS = ("f16", "bf16", "f32", "f64")
REQUESTS, EACH = 200 if FULL else 12, 6


class Places:
    """Pairs of an element of x and a place that sees it, by the part of the kernel that does."""

    def __init__(self, rng, axes):
        self.sizes = [int(rng.integers(3, 6)) for _ in range(axes)]
        self.kernel, self.strides, self.dilations = (
            [int(rng.integers(1, most)) for _ in range(axes)] for most in (3, 4, 3))
        pads = [int(rng.integers(0, 2)) if k > 1 else 0 for k in self.kernel]
        self.attributes = {"strides": self.strides, "dilations": self.dilations,
                           "pads": pads + pads}
        seen = seen_along(self.sizes, self.kernel, self.strides, self.dilations, pads + pads, 0)
        self.places = [len(s) for s in seen]
        self.inside = [[[(p, s[p][k]) for p in range(len(s)) if s[p][k] is not None]
                        for k in range(len(s[0]))] for s in seen]

    def __iter__(self):
        """Indices of places, and of elements of x, for each part of the kernel."""
        for k in np.ndindex(*self.kernel):
            pairs = [self.inside[axis][i] for axis, i in enumerate(k)]
            yield k, *(np.ix_(*([pair[side] for pair in of] for of in pairs)) for side in (0, 1))

    def seen(self, x):
        """Windows of x along a new first axis, NaN beyond."""
        out = np.full((math.prod(self.kernel), *x.shape[:2], *self.places), np.nan)
        for row, (_, place, at) in zip(out, self):
            row[(..., *place)] = x[(..., *at)]
        return out

    def back(self, parts):
        """Terms of each element of x, one for each part of the kernel; 0 where it is not seen."""
        out = np.zeros((len(parts), *parts.shape[1:3], *self.sizes))
        for row, part, (_, place, at) in zip(out, parts, self):
            row[(..., *at)] = part[(..., *place)]
        return out


def stored(way, x):
    """As it is, or kept in the type of the data before it is used."""
    return fleet.store(way.kind, x) if way.pick("held", "stored") == "stored" else x


def conv(way, x, of, places):
    """In one group."""
    spread = [1] * len(places.sizes)
    w = x["W"].reshape(*x["W"].shape[:2], -1)
    parts = []  # [map][kernel, batch, channel, places]
    for map_ in range(len(w)):
        dy = x["dY"][:, None, map_]
        parts.append(np.stack([way.mul(dy, w[map_, :, k].reshape(1, -1, *spread))
                               for k in range(w.shape[2])]))
    parts = np.array(parts)
    how = way.pick("kernel", "map", "direct")
    if how == "kernel":
        dx = way.sum(places.back(stored(way, way.sum(parts))))
    elif how == "map":
        dx = way.sum(np.array([way.sum(places.back(part)) for part in parts]))
    else:
        dx = way.sum(np.concatenate([places.back(part) for part in parts]))
    seen = np.nan_to_num(places.seen(x["X"]))
    terms = way.mul(seen[:, :, None], x["dY"][None, :, :, None])  # kernel, batch, map, channel
    terms = np.moveaxis(terms.reshape(*terms.shape[:4], -1), (1, 4), (0, 1))
    rows = [way.sum(row) for row in terms] if how == "kernel" else [t for row in terms for t in row]
    dw = np.moveaxis(way.sum(np.array(rows)), 0, -1).reshape(x["W"].shape)
    db = way.sum(np.moveaxis(x["dY"], 1, -1).reshape(-1, len(w)))
    return {"dX": dx, "dW": dw, "dB": db}


def divided(way, g, count):
    return way.mul(g, way.div(1.0, count)) if way.pick("share", "quotient") == "share" else (
        way.div(g, count))


def shares(way, name, seen, dy, p):
    """What each element of a window gets; NaN is padding."""
    there = ~np.isnan(seen)
    if "average" in name:
        return np.where(there, stored(way, divided(way, dy, there.sum(0))), 0)
    if "max" in name:
        first = np.argmax(np.where(there, seen, -np.inf), 0)
        return np.where(np.arange(len(seen)).reshape(-1, *[1] * dy.ndim) == first, dy, 0)
    values = np.nan_to_num(seen)
    if p == 1:
        return stored(way, dy * np.sign(values))
    root = way.round(np.sqrt(way.sum(way.mul(values, values))))
    how = way.pick("quotient first", "slope", "unit")
    if how == "slope":
        return stored(way, way.mul(way.mul(dy, way.div(1.0, 2 * root)), 2 * values))
    if how == "unit":
        return stored(way, way.mul(dy, way.div(values, root)))
    return stored(way, way.mul(values, way.div(dy, root)))


def pool(way, x, of, places):
    parts = shares(way, of["name"], places.seen(x["X"]), x["dY"], of.get("p", 2))
    return {"dX": way.sum(places.back(parts))}


def draw(rng, name, kind):
    places = Places(rng, int(rng.integers(1, 3)))
    batch, channels, maps = (int(n) for n in rng.integers(1, 4, 3))
    grid = lambda *shape: fleet.store(kind, rng.normal(size=shape))  # noqa: E731
    x, attributes = {"X": grid(batch, channels, *places.sizes)}, dict(places.attributes)
    if name == "conv":
        x.update(W=grid(maps, channels, *places.kernel), B=grid(maps))
    else:
        maps, attributes["kernel_shape"] = channels, places.kernel
    if name.startswith("global"):
        places.kernel = places.sizes
        places.inside = [[[(0, i)] for i in range(n)] for n in places.sizes]
        places.places, attributes = [1] * len(places.sizes), {}
    if "lp" in name:
        attributes["p"] = int(rng.integers(1, 3))
    x["dY"] = grid(batch, maps, *places.places)
    return x, attributes, places


def numbers(kind, bits):
    whole = np.array([int(b, 16) for b in bits], np.uint64)
    if kind == "bf16":
        return (whole.astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    width, of = {"f16": (np.uint16, np.float16), "f32": (np.uint32, np.float32),
                 "f64": (np.uint64, np.float64)}[kind]
    return whole.astype(width).view(of).astype(np.float64)


def made(way, name, case):
    """The gradients that one conforming implementation gives."""
    x, attributes, places = case
    return (conv if name == "conv" else pool)(way, x, {**attributes, "name": name}, places)


def judge(rng, name, kind, answer, case, make, seen, wrong):
    """Holds EACH drawn implementations to an answer's bounds, and what is off by a thousandth."""
    for _ in range(EACH):
        way = fleet.Way(rng, kind)
        for key, value in make(way, name, case).items():
            low, high, golden = (numbers(kind, answer["outputs"][key][end])
                                 for end in ("lower", "upper", "bits"))
            got = fleet.store(kind, value).ravel()
            seen["verdicts"] += 1
            for i in np.flatnonzero(~((got >= low) & (got <= high)))[:1]:
                wrong.append(f"{name} {kind} {key} {way.named} {way.work} {way.order} {case[1]}: "
                             f"{got[i]!r} of [{low[i]!r}, {high[i]!r}]")
            if kind in ("f32", "f64") and golden.any():
                off = fleet.store(kind, golden * 1.001)
                seen["shifted"] += 1
                seen["seen"] += not np.all((off >= low) & (off <= high))


def refused():
    """A gradient of another shape than the output's is refused."""
    x = {"dtype": "f32", "shape": [1, 1, 4], "data": [1, 2, 3, 4]}
    dy = {"dtype": "f32", "shape": [1, 1, 2], "data": [1, 2]}
    answers, _ = evaluate([{"op": f"gradient.{name}_pool", "attributes": {"kernel_shape": [2]},
                            "inputs": {"X": x, "dY": dy}} for name in ("max", "average", "lp")])
    return [str(a) for a in answers
            if not a.get("error", {}).get("message", "").startswith("dY has the shape of Y")]


def hold(number, name, kinds, draw_case, make):
    """Holds conforming answers to the bounds of requests drawn for each type. A case is inputs,
    attributes, and what else `make` takes, which gives the answers of one way by their names."""
    seen, wrong = {"verdicts": 0, "shifted": 0, "seen": 0}, []
    for kind in kinds:
        rng = np.random.default_rng([SEED, number, KINDS.index(kind)])
        cases = [draw_case(rng, name, kind) for _ in range(REQUESTS)]
        answers, stderr = evaluate(
            [{"op": f"gradient.{name}", "attributes": attributes,
              "inputs": {key: of if isinstance(of, dict) else tensor(kind, of)
                         for key, of in x.items()}}
             for x, attributes, *_ in cases], options=["--bounds"])
        if len(answers) != len(cases) or any("outputs" not in a for a in answers):
            wrong.append(f"{name} {kind}: {stderr[:300]} {answers[-1:]}"[:900])
            continue
        for answer, case in zip(answers, cases):
            judge(rng, name, kind, answer, case, make, seen, wrong)
    check(not wrong and seen["verdicts"], f"gradient.{name}: {seen['verdicts']} answers of "
          "conforming implementations are not accused", wrong[:5])
    check(seen["seen"] > 0.7 * seen["shifted"],
          f"gradient.{name}: {seen['seen']} of {seen['shifted']} answers off by a thousandth are "
          "seen")


# Slopes as libraries write them, each step rounded to f32: by the other root, by factors of a
# square, by what the function itself gave.
SLOPES = {
    "tan": [lambda x: 1 / np.square(np.cos(x)), lambda x: 1 + np.square(np.tan(x))],
    "asin": [lambda x: 1 / np.sqrt((1 - x) * (1 + x)), lambda x: 1 / np.sqrt(1 - x * x)],
    "acos": [lambda x: -1 / np.sqrt((1 - x) * (1 + x)), lambda x: -1 / np.sqrt(1 - x * x)],
    "asinh": [lambda x: 1 / np.cosh(np.arcsinh(x)), lambda x: 1 / np.sqrt(1 + x * x)],
    "acosh": [lambda x: 1 / np.sinh(np.arccosh(x)), lambda x: 1 / np.sqrt(x * x - 1)],
    "atanh": [lambda x: 1 / ((1 - x) * (1 + x)), lambda x: 1 / (1 - x * x)],
}


def slopes():
    """What such a slope gives lies in the bounds, near 0 and near the ends of the domain."""
    rng = np.random.default_rng([SEED, len(NAMES)])
    near = rng.choice([-1, 1], 400) * np.exp2(rng.uniform(-14, -0.05, 400))
    drawn = {name: (1 + np.abs(near) * 64 if name == "acosh" else near).astype(np.float32)
             for name in SLOPES}
    g = rng.normal(size=400).astype(np.float32)
    answers, stderr = evaluate([{"op": f"gradient.{name}", "inputs": {
        "input": tensor("f32", x), "doutput": tensor("f32", g)}} for name, x in drawn.items()],
        options=["--bounds"])
    check(len(answers) == len(SLOPES), "each slope has an answer", stderr[:300])
    for (name, ways), answer in zip(SLOPES.items(), answers):
        low, high = (numbers("f32", answer["outputs"]["dinput"][end]) for end in ("lower", "upper"))
        wrong = [f"{way}: of {drawn[name][i]!r}" for way, slope in enumerate(ways)
                 for i in np.flatnonzero(~((g * slope(drawn[name]) >= low) &
                                           (g * slope(drawn[name]) <= high)))[:1]]
        check(not wrong, f"gradient.{name}: slopes as libraries write them are not accused", wrong)


def main():
    print(f"# seed {SEED}")
    slopes()
    wrong = refused()
    check(not wrong, "gradients of another shape are refused", wrong)
    for number, name in enumerate(NAMES):
        hold(number, name, KINDS, draw, made)
    finish()


if __name__ == "__main__":
    main()
