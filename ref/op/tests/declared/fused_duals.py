# SPDX-License-Identifier: Apache-2.0
"""Texts of chains that runtimes fuse, of StableHLO's convolution, of remainders and scales, written
out again on dual numbers, for gradients_test.py: see axes_duals.py."""

import math

from axes_duals import Texts, index, places


class Chains(Texts):
    def matrix(self, t, given, name, *at):
        return t[name][index(given[name][0], at)]

    def product(self, t, given, i, j):
        """Of A and B."""
        return self.total([self.matrix(t, given, "A", i, k) * self.matrix(t, given, "B", k, j)
                           for k in range(given["A"][0][1])])

    def two(self, rng):
        rows, depth, columns = (rng.randint(1, 3) for _ in range(3))
        of_c = rng.choice(([], [columns], [rows, 1], [rows, columns]))
        given = {"A": self.drawn(rng, [rows, depth]), "B": self.drawn(rng, [depth, columns]),
                 "C": self.drawn(rng, of_c)}
        return given, [rows, columns], lambda t, i, j: t["C"][index(of_c, (i, j))]

    def rectified(self, given, of):
        """The larger of each number and 0; None where one is so near to 0 that bounds hold both."""
        plain = {key: [self.d.Dual(x) for x in values] for key, (_, values) in given.items()}
        if any(abs(x.value) < 2 ** -10 for x in of(plain)):
            return None
        return lambda t: [self.d.larger(x, 0) for x in of(t)]

    def gemm_relu(self, rng):
        given, shape, bias = self.two(rng)
        of = self.rectified(given, lambda t: [
            self.product(t, given, i, j) * 0.75 + bias(t, i, j) * 1.25 for i, j in places(shape)])
        return (given, "dY", shape, of, {"alpha": 0.75, "beta": 1.25}) if of else (
            self.gemm_relu(rng))

    def matmul_bias_gelu(self, rng):
        given, shape, bias = self.two(rng)
        approximate, d = rng.choice(("none", "tanh")), self.d
        given = {key: (s, [x / 4 for x in values]) for key, (s, values) in given.items()}

        def of(t):
            y = []
            for i, j in places(shape):
                x = self.product(t, given, i, j) + bias(t, i, j)
                root = d.mpmath.sqrt(2 / d.mpmath.pi)
                slope = d.erf(x / d.mpmath.sqrt(2)) if approximate == "none" else d.tanh(
                    (x + x * x * x * d.mpmath.mpf("0.044715")) * root)
                y.append(x * (slope + 1) / 2)
            return y
        return given, "dY", shape, of, {"approximate": approximate}

    def scaled_attention(self, rng):
        """Batches of queries and values are broadcast to each other."""
        rows, depth, keys, width = (rng.randint(1, 3) for _ in range(4))
        outer, inner = rng.choice((([], []), ([2], []), ([], [2]), ([2, 1], [2])))
        given = {"Q": self.drawn(rng, [*outer, rows, depth]), "K": self.drawn(rng, [depth, keys]),
                 "V": self.drawn(rng, [*inner, keys, width]), "scale": self.drawn(rng, [])}
        given = {key: (s, [x / 4 for x in values]) for key, (s, values) in given.items()}
        batches = [2, 2] if len(outer) == 2 else outer or inner

        def of(t):
            y = []
            for *batch, i in places([*batches, rows]):
                at = {key: batch[len(batch) - len(own):] for key, own in (
                    ("Q", outer), ("V", inner))}
                scores = [self.total([t["Q"][index(given["Q"][0], [*at["Q"], i, k])] * self.matrix(
                    t, given, "K", k, j) for k in range(depth)]) * t["scale"][0]
                    for j in range(keys)]
                powers = [self.d.exp(s) for s in scores]
                y += [self.total([p * t["V"][index(given["V"][0], [*at["V"], j, c])]
                                  for j, p in enumerate(powers)]) / self.total(powers)
                      for c in range(width)]
            return y
        return given, "dY", [*batches, rows, width], of

    def convolved(self, rng, dilated):
        """Two dimensions: inputs, attributes, shape, and what a map is at a place."""
        group, channels, maps, batch = (rng.randint(1, 2) for _ in range(4))
        size, kernel = ([rng.randint(least, 3) for _ in "xy"] for least in (2, 1))
        steps, spread = ([rng.randint(1, 2) for _ in "xy"] for _ in range(2))
        spread = spread if dilated else [1, 1]
        pads = [rng.randint(0, 1) for _ in range(4)]
        out = [(size[i] + pads[i] + pads[2 + i] - (kernel[i] - 1) * spread[i] - 1) // steps[i] + 1
               for i in range(2)]
        if min(out) < 1:
            return self.convolved(rng, dilated)
        given = {"X": self.drawn(rng, [batch, group * channels, *size]),
                 "W": self.drawn(rng, [group * maps, channels, *kernel])}
        attributes = {"group": group, "strides": steps, "pads": pads}
        attributes.update({"dilations": spread} if dilated else {})

        def of(t, n, o, *place):
            terms = []
            for c, *k in places([channels, *kernel]):
                at = [p * s + i * d - pad for p, s, i, d, pad in zip(
                    place, steps, k, spread, pads)]
                if all(0 <= a < n_ for a, n_ in zip(at, size)):
                    terms.append(self.matrix(t, given, "X", n, o // maps * channels + c, *at) *
                                 self.matrix(t, given, "W", o, c, *k))
            return self.total(terms)
        return given, attributes, [batch, group * maps, *out], of

    def conv_relu(self, rng):
        given, attributes, shape, of = self.convolved(rng, True)
        given["B"] = self.drawn(rng, [shape[1]])
        of_all = self.rectified(given, lambda t: [
            of(t, *at) + t["B"][at[1]] for at in places(shape)])
        return (given, "dY", shape, of_all, attributes) if of_all else self.conv_relu(rng)

    def conv_batch_normalization(self, rng):
        given, attributes, shape, of = self.convolved(rng, False)
        given.update({key: self.drawn(rng, [shape[1]], key == "input_var") for key in (
            "bias", "scale", "B", "input_mean", "input_var")})

        def normalized(t):
            y = []
            for at in places(shape):
                of_map = {key: t[key][at[1]] for key in given if key not in "XW"}
                y.append((of(t, *at) + of_map["bias"] - of_map["input_mean"]) / self.d.sqrt(
                    of_map["input_var"] + self.d.Dual("0.125")) * of_map["scale"] + of_map["B"])
            return y
        return given, "dY", shape, normalized, {**attributes, "epsilon": 0.125}

    def convolution(self, rng):
        """Of one dimension or two, with axes in any order and groups of features or of batches."""
        axes = rng.randint(1, 2)
        groups, of_batch = rng.randint(1, 2), rng.random() < 0.5
        batch, channels, maps = rng.randint(1, 2), rng.randint(1, 2), rng.randint(1, 2)
        size, kernel = ([rng.randint(least, 3) for _ in range(axes)] for least in (2, 1))
        steps, apart, spread = ([rng.randint(1, 2) for _ in range(axes)] for _ in range(3))
        pads = [rng.randint(-1, 1) for _ in range(2 * axes)]
        turned = [rng.randint(0, 1) for _ in range(axes)]
        whole = [(n - 1) * a + 1 + pads[2 * i] + pads[2 * i + 1]
                 for i, (n, a) in enumerate(zip(size, apart))]
        out = [(n - (k - 1) * s - 1) // step + 1 for n, k, s, step in zip(
            whole, kernel, spread, steps)]
        if min(out) < 1 or min(whole) < 1:
            return self.convolution(rng)
        orders = {key: rng.sample(range(axes + 2), axes + 2) for key in ("lhs", "rhs", "result")}
        sizes = {"lhs": [batch * (groups if of_batch else 1), channels * (
            1 if of_batch else groups), *size], "rhs": [groups * maps, channels, *kernel],
            "result": [batch, groups * maps, *out]}
        shapes = {key: [sizes[key][orders[key].index(i)] for i in range(axes + 2)]
                  for key in sizes}
        given = {key: self.drawn(rng, shapes[key]) for key in ("lhs", "rhs")}

        def element(t, key, at):
            return t[key][index(shapes[key], [at[orders[key].index(i)] for i in range(axes + 2)])]

        def of(t):
            y = []
            for laid in places(shapes["result"]):
                n, o, *place = [laid[i] for i in orders["result"]]
                terms, group = [], o // maps
                for c, *k in places([channels, *kernel]):
                    at = [p * step + j * s - pads[2 * i] for i, (p, step, j, s) in enumerate(
                        zip(place, steps, k, spread))]
                    if any(a % gap or not 0 <= a // gap < n_
                           for a, gap, n_ in zip(at, apart, size)):
                        continue
                    at = [a // gap for a, gap in zip(at, apart)]
                    first = [group * batch + n, c] if of_batch else [n, group * channels + c]
                    k = [m - 1 - j if turn else j for j, m, turn in zip(k, kernel, turned)]
                    terms.append(element(t, "lhs", [*first, *at]) * element(t, "rhs", [o, c, *k]))
                y.append(self.total(terms))
            return y
        names = {"lhs": ("input_batch", "input_feature", "input_spatial"), "rhs": (
            "kernel_output_feature", "kernel_input_feature", "kernel_spatial"),
            "result": ("output_batch", "output_feature", "output_spatial")}
        numbers = {}
        for key, (first, second, rest) in names.items():
            numbers.update({f"{first}_dimension": orders[key][0],
                            f"{second}_dimension": orders[key][1],
                            f"{rest}_dimensions": orders[key][2:]})
        return given, "dresult", shapes["result"], of, {
            **numbers, "window_strides": steps, "padding": pads, "lhs_dilation": apart,
            "rhs_dilation": spread, "window_reversal": turned,
            "batch_group_count" if of_batch else "feature_group_count": groups}

    def mod(self, rng):
        shapes, fmod = rng.choice((([2, 3], [3]), ([3], [2, 1]), ([2, 3], []))), rng.randint(0, 1)
        given = {key: self.drawn(rng, shape) for key, shape in zip("AB", shapes)}
        shape = [2, 3]

        def of(t):
            y = []
            for at in places(shape):
                a, b = (t[key][index(given[key][0], at)] for key in "AB")
                ratio = a.value / b.value
                y.append(a - b * (int(ratio) if fmod else math.floor(ratio)))
            return y
        return given, "dC", shape, of, {"fmod": fmod}

    def dequantize_linear(self, rng):
        """One scale, one for each place of an axis, or one for a block."""
        shape, axis = [rng.randint(1, 3), 4], rng.randint(0, 1)
        how = rng.choice(("one", "axis", "block"))
        block = 2 if how == "block" else 0
        of_scale = {"one": [], "axis": [shape[axis]], "block": [
            -(-n // 2) if i == axis else n for i, n in enumerate(shape)]}[how]
        x, zero = ([rng.randint(-128, 127) for _ in range(math.prod(s))]
                   for s in (shape, of_scale))

        def place(at):
            at = [i // 2 if j == axis else i for j, i in enumerate(at)] if block else (
                [at[axis]] if how == "axis" else [])
            return index(of_scale, at)
        return {"x_scale": self.drawn(rng, of_scale)}, "dy", shape, lambda t: [
            t["x_scale"][place(at)] * (x[i] - zero[place(at)])
            for i, at in enumerate(places(shape))], {"axis": axis, "block_size": block}, {
                "x": {"dtype": "i8", "shape": shape, "data": x},
                "x_zero_point": {"dtype": "i8", "shape": of_scale, "data": zero}}


def operators(duals):
    of = Chains(duals)
    return {name: getattr(of, name) for name in (
        "gemm_relu", "matmul_bias_gelu", "scaled_attention", "conv_relu",
        "conv_batch_normalization", "convolution", "mod", "dequantize_linear")}
