# SPDX-License-Identifier: Apache-2.0
"""StableHLO's products, as assay declares them, against a second model: the text's own formulas
over exact fractions, index by index; and bounds of products, against those of factors that a power
of two makes too large for the short way. ASSAY_SEED repeats a run."""

import random
import sys
from fractions import Fraction as F

sys.path.insert(0, "harness/tests")
sys.path.insert(0, "ref/op/tests")
sys.path.insert(0, "ref/op/tests/declared")
import numpy as np  # noqa: E402
from ask import evaluate, tensor  # noqa: E402
from operators_test import FULL, SEED, against_model, draw, places_of  # noqa: E402
from tap import check, finish  # noqa: E402


def dot_general(rng, kind, name):
    """Axes of each operand are batches, contracted ones and its own, in an order that is drawn."""
    batches, contracted = ([rng.randint(0, 3) for _ in range(rng.randint(0, 2))]
                           for _ in range(2))
    sizes, axes = [], []
    for _ in range(2):
        own = [("own", i) for i in range(rng.randint(0, 2))]
        order = own + [("batch", i) for i in range(len(batches))] + [
            ("contracted", i) for i in range(len(contracted))]
        rng.shuffle(order)
        axes.append(order)
        sizes.append([rng.randint(1, 3) if what == "own" else
                      (batches if what == "batch" else contracted)[i] for what, i in order])
    (lhs, left), (rhs, right) = (draw(rng, kind, *s, low=-3, high=1) for s in sizes)
    at = [dict(zip(places_of(s), values)) for s, values in zip(sizes, (left, right))]
    free = [[i for i, (what, _) in enumerate(order) if what == "own"] for order in axes]
    shape = batches + [sizes[side][i] for side in range(2) for i in free[side]]
    expected = []
    for place in places_of(shape):
        total = F(0)
        for k in places_of(contracted):
            known = [{("batch", i): place[i] for i in range(len(batches))} |
                     {("contracted", i): j for i, j in enumerate(k)} for _ in range(2)]
            rest = iter(place[len(batches):])
            for side in range(2):
                known[side] |= {axes[side][i]: next(rest) for i in free[side]}
            total += at[0][tuple(known[0][a] for a in axes[0])] * at[1][
                tuple(known[1][a] for a in axes[1])]
        expected.append(total)
    attributes = {f"{side}_{what}_dimensions": [axes[s].index((word, i)) for i in range(len(of))]
                  for s, side in enumerate(("lhs", "rhs"))
                  for what, word, of in (("batching", "batch", batches),
                                         ("contracting", "contracted", contracted))}
    return {"op": f"stablehlo.{name}", "attributes": attributes,
            "inputs": {"lhs": lhs, "rhs": rhs}}, {"result": (kind, shape, expected)}


class Drawn:
    """Attributes of a convolution: numbers for each dimension, some of them left at their default;
    where each dimension of a tensor stands."""

    def __init__(self, rng, spatial):
        self.attributes, self.spatial = {}, spatial
        self.stride = self.take(rng, "window_strides", 1, 3)
        self.dilation = self.take(rng, "rhs_dilation", 1, 2)
        self.apart = self.take(rng, "lhs_dilation", 1, 3)
        self.turned = self.take(rng, "window_reversal", 0, 1)
        flat = self.take(rng, "padding", -1, 3, 2)
        self.low, self.high = flat[::2], flat[1::2]
        self.order = {of: rng.sample(range(spatial + 2), spatial + 2)
                      for of in ("input", "kernel", "output")}
        for of, first, second in (("input", "input_batch", "input_feature"),
                                  ("kernel", "kernel_output_feature", "kernel_input_feature"),
                                  ("output", "output_batch", "output_feature")):
            self.attributes |= {f"{first}_dimension": self.order[of][0],
                                f"{second}_dimension": self.order[of][1],
                                f"{of}_spatial_dimensions": self.order[of][2:]}

    def take(self, rng, name, least, most, each=1):
        count = each * self.spatial
        if rng.random() < 0.4:
            return [1 if least else 0] * count if name != "padding" else [0] * count
        self.attributes[name] = [rng.randint(least, most) for _ in range(count)]
        return self.attributes[name]

    def place(self, of, canonical):
        """A place, or a shape, in the order in which the tensor has its dimensions."""
        at = [0] * len(canonical)
        for dimension, value in zip(self.order[of], canonical):
            at[dimension] = value
        return tuple(at)


def places_along(d, i, size, window):
    """How many windows there are along a dimension."""
    dilated = (size - 1) * d.apart[i] + 1 if size else 0
    padded, seen = d.low[i] + dilated + d.high[i], (window - 1) * d.dilation[i] + 1
    if padded < 0:
        return None  # more is taken away than there is
    return 0 if padded == 0 or seen > padded else (padded - seen) // d.stride[i] + 1


def seen(d, place, window, sizes, kernel):
    """Where the input is that a window sees at `kernel`; None: no element."""
    at = []
    for i, (p, k) in enumerate(zip(place, kernel)):
        k = window[i] - 1 - k if d.turned[i] else k
        x = p * d.stride[i] + k * d.dilation[i] - d.low[i]
        if x < 0 or x % d.apart[i] or x // d.apart[i] >= sizes[i]:
            return None
        at.append(x // d.apart[i])
    return at


def convolution(rng, kind, name):
    spatial = rng.randint(1, 2)
    d = Drawn(rng, spatial)
    of_features, of_batches = rng.choice(((1, 1), (2, 1), (1, 2), (3, 1)))
    groups = of_features * of_batches
    batch, channels, maps = (rng.randint(1, 2) for _ in range(3))
    sizes, window = ([rng.randint(low, high) for _ in range(spatial)]
                     for low, high in ((0, 5), (1, 3)))
    places = [places_along(d, i, *of) for i, of in enumerate(zip(sizes, window))]
    if None in places:
        return convolution(rng, kind, name)
    x_shape = d.place("input", [of_batches * batch, of_features * channels, *sizes])
    w_shape = d.place("kernel", [groups * maps, channels, *window])
    (lhs, values), (rhs, weights) = (draw(rng, kind, *s, low=-3, high=1)
                                     for s in (x_shape, w_shape))
    values, weights = (dict(zip(places_of(s), of)) for s, of in
                       ((x_shape, values), (w_shape, weights)))
    shape = d.place("output", [batch, groups * maps, *places])
    expected = {}
    for n, o, *place in places_of([batch, groups * maps, *places]):
        group, total = o // maps, F(0)
        for c, *k in places_of([channels, *window]):
            at = seen(d, place, window, sizes, k)
            if at is not None:
                instance = n + (group * batch if of_batches > 1 else 0)
                feature = c + (group * channels if of_features > 1 else 0)
                total += values[d.place("input", [instance, feature, *at])] * weights[
                    d.place("kernel", [o, c, *k])]
        expected[d.place("output", [n, o, *place])] = total
    if groups > 1 or rng.random() < 0.5:
        d.attributes |= {"feature_group_count": of_features, "batch_group_count": of_batches}
    return {"op": f"stablehlo.{name}", "attributes": d.attributes,
            "inputs": {"lhs": lhs, "rhs": rhs}}, {
        "result": (kind, list(shape), [expected[p] for p in places_of(shape)])}


LARGE = """operator: large
inputs: {A: {types: [f64]}, B: {types: [f64]}, C: {types: [f64]}}
outputs: {Y: {type: f64, level: bound}, Z: {type: f64, level: bound}}
nodes:
  n: A * 1.1
  Y: 'einsum("ijk,jkl->il", n * 0.7, B * B) + C'
  Z: 'C - einsum("ijk,jkl->il", A, B * B) - sum(C * C, [0])'
"""


def bounds_of_large_factors(seed):
    """B is near 1 and beyond what a run of products takes; A makes up for it."""
    rng = random.Random(seed)
    numbers = [[rng.choice((0, 1, 1.5, 1 + 2**-30, -1 / 3, rng.gauss(0, 1))) for _ in range(n)]
               for n in (3 * 2 * 5, 2 * 5 * 4, 4)]
    shapes = (3, 2, 5), (2, 5, 4), (4,)
    requests = []
    for power in (0, 1, 250):
        scales = 2.0**(-2 * power), 2.0**power, 1
        requests.append({"op": "large", "inputs": {
            name: tensor("f64", np.reshape(x, shape) * scale)
            for name, x, shape, scale in zip("ABC", numbers, shapes, scales)}})
    answers, said = evaluate(requests, LARGE, options=["--bounds"])
    ends = [[answer["outputs"][of][end] for of in "YZ" for end in ("lower", "upper")]
            for answer in answers]
    check(len(ends) == 3 and ends[0] == ends[1] == ends[2],
          "sums of products have the same bounds whatever the size of their factors", [said, ends])


OPERATORS = {"dot_general": dot_general, "convolution": convolution}


def main():
    print(f"# seed {SEED}")
    for name in OPERATORS:
        against_model(SEED, name, 400 if FULL else 40, OPERATORS)
    bounds_of_large_factors(SEED)
    finish()


if __name__ == "__main__":
    main()
