# SPDX-License-Identifier: Apache-2.0
"""Texts of what works along axes, written out again on dual numbers, for gradients_test.py: each
draws (tensors that are differentiated, output, its shape, function, attributes, other inputs)."""

import functools
import itertools
import math


def index(shape, place):
    """Of a place in a tensor that is broadcast to it."""
    at = 0
    for n, i in zip(shape, place[len(place) - len(shape):]):
        at = at * n + (0 if n == 1 else i)
    return at


def places(shape):
    return list(itertools.product(*map(range, shape)))


class Texts:
    """`d` has dual numbers and functions of them: gradients_test.py."""

    def __init__(self, d):
        self.d = d

    def drawn(self, rng, shape, positive=False):
        return shape, [self.d.element(rng, positive) for _ in range(math.prod(shape))]

    def total(self, row):
        return sum(row, self.d.Dual(0))

    def product(self, row):
        out = self.d.Dual(1)
        for x in row:
            out = out * x
        return out

    def reduced(self, name):
        d = self.d
        of = {"l1": lambda row: self.total([d.abs_of(x) for x in row]),
              "l2": lambda row: d.sqrt(self.total([x * x for x in row])),
              "sum": self.total, "mean": lambda row: self.total(row) / len(row),
              "sum_square": lambda row: self.total([x * x for x in row]),
              "log_sum": lambda row: d.log(self.total(row)),
              "log_sum_exp": lambda row: d.log(self.total([d.exp(x) for x in row])),
              "max": lambda row: max(row, key=lambda x: x.value),
              "min": lambda row: min(row, key=lambda x: x.value), "prod": self.product}[name]

        def make(rng):
            shape = [rng.randint(1, 3) for _ in range(rng.randint(1, 3))]
            axes = sorted(rng.sample(range(len(shape)), rng.randint(1, len(shape))))
            keep = rng.randint(0, 1)
            kept = [1 if i in axes else n for i, n in enumerate(shape)]
            values = self.drawn(rng, shape, name == "log_sum")

            def reduce(t):
                rows = {}
                for x, place in zip(t["data"], places(shape)):
                    rows.setdefault(index(kept, place), []).append(x)
                return [of(rows[i]) for i in sorted(rows)]
            out = kept if keep else [n for i, n in enumerate(shape) if i not in axes]
            return ({"data": values}, "dreduced", out, reduce, {"keepdims": keep},
                    {"axes": {"dtype": "i64", "shape": [len(axes)], "data": axes}})
        return make

    def normalized(self, x, shape, group_of, epsilon, moments=None):
        """(x - mean) / sqrt(variance + epsilon), each over those of its group."""
        rows = {}
        for value, place in zip(x, places(shape)):
            rows.setdefault(group_of(place), []).append(value)
        if moments is None:
            moments = {}
            for key, row in rows.items():
                mean = self.total(row) / len(row)
                moments[key] = mean, self.total([(v - mean) * (v - mean) for v in row]) / len(row)
        return [(value - moments[group_of(place)][0]) /
                self.d.sqrt(moments[group_of(place)][1] + epsilon)
                for value, place in zip(x, places(shape))]

    def scaled(self, t, x, shape, scale, bias):
        return [v * t[scale][place[1]] + t[bias][place[1]]
                for v, place in zip(x, places(shape))]

    def batch(self, rng):
        shape = [rng.randint(2, 3), 2] + [rng.randint(1, 2) for _ in range(rng.randint(0, 2))]
        training = rng.randint(0, 1)
        given = {"X": self.drawn(rng, shape), "scale": self.drawn(rng, [2]),
                 "B": self.drawn(rng, [2]), "input_mean": self.drawn(rng, [2]),
                 "input_var": self.drawn(rng, [2], True)}

        def of(t):
            moments = None if training else dict(enumerate(zip(t["input_mean"], t["input_var"])))
            y = self.normalized(t["X"], shape, lambda p: p[1], self.d.Dual("0.125"), moments)
            return self.scaled(t, y, shape, "scale", "B")
        return given, "dY", shape, of, {"training_mode": training, "epsilon": 0.125}

    def instance(self, rng):
        shape = [rng.randint(1, 2), 2, rng.randint(1, 2), 2]
        given = {"input": self.drawn(rng, shape), "scale": self.drawn(rng, [2]),
                 "B": self.drawn(rng, [2])}
        return given, "doutput", shape, lambda t: self.scaled(t, self.normalized(
            t["input"], shape, lambda p: p[:2], self.d.Dual("0.125")), shape, "scale", "B"), {
                "epsilon": 0.125}

    def group(self, rng):
        shape, groups = [rng.randint(1, 2), 4, rng.randint(1, 3)], rng.choice((1, 2))
        given = {"X": self.drawn(rng, shape), "scale": self.drawn(rng, [4]),
                 "bias": self.drawn(rng, [4])}
        return given, "dY", shape, lambda t: self.scaled(t, self.normalized(
            t["X"], shape, lambda p: (p[0], p[1] * groups // 4), self.d.Dual("0.125")), shape,
            "scale", "bias"), {"num_groups": groups, "epsilon": 0.125}

    def lp(self, rng):
        rows, n, p = rng.randint(1, 2), rng.randint(1, 4), rng.randint(1, 2)

        def of(t):
            y = []
            for first in range(0, rows * n, n):
                row = t["input"][first:first + n]
                norm = (self.total([self.d.abs_of(x) for x in row]) if p == 1 else
                        self.d.sqrt(self.total([x * x for x in row])))
                y += [x / norm for x in row]
            return y
        return {"input": self.drawn(rng, [rows, n])}, "doutput", [rows, n], of, {"p": p}

    def lrn(self, rng):
        shape, size = [rng.randint(1, 2), rng.randint(1, 4), 2], rng.randint(1, 4)

        def of(t):
            x = dict(zip(places(shape), t["X"]))
            y = []
            for n, c, i in places(shape):
                near = range(max(0, c - (size - 1) // 2), min(shape[1] - 1, c + size // 2) + 1)
                base = self.total([x[n, k, i] * x[n, k, i] for k in near]) / size / 2 + 1
                y.append(x[n, c, i] / base ** self.d.Dual("0.75"))
            return y
        return {"X": self.drawn(rng, shape)}, "dY", shape, of, {"size": size, "alpha": 0.5}

    def many(self, name):
        of = {"max": lambda x: functools.reduce(self.d.larger, x),  # of equal ones the last
              "min": lambda x: functools.reduce(self.d.lesser, x), "sum": self.total,
              "mean": lambda x: self.total(x) / 4}[name]

        def make(rng):
            shape = [rng.randint(1, 3), rng.randint(1, 3)]
            own = [[n if rng.random() < 0.6 else 1 for n in shape][rng.randint(0, 1):]
                   for _ in range(3)] + [shape]
            rng.shuffle(own)
            given = {f"data_{i}": self.drawn(rng, s) for i, s in enumerate(own)}
            return given, f"d{name}", shape, lambda t: [
                of([t[f"data_{i}"][index(s, place)] for i, s in enumerate(own)])
                for place in places(shape)]
        return make

    def where(self, rng):
        shape, own = [2, 3], ([3], [2, 1])
        taken = [rng.random() < 0.5 for _ in range(6)]
        given = {"X": self.drawn(rng, own[0]), "Y": self.drawn(rng, own[1])}
        return given, "doutput", shape, lambda t: [
            t["X"][index(own[0], p)] if taken[i] else t["Y"][index(own[1], p)]
            for i, p in enumerate(places(shape))], {}, {
                "condition": {"dtype": "bool", "shape": shape, "data": taken}}

    def clip(self, rng):
        given = {"input": self.drawn(rng, [5]), "min": self.drawn(rng, []),
                 "max": self.drawn(rng, [])}
        return given, "doutput", [5], lambda t: [
            self.d.lesser(self.d.larger(x, t["min"][0]), t["max"][0]) for x in t["input"]]

    def swiglu(self, rng):
        given = {"A": self.drawn(rng, [4]), "B": self.drawn(rng, [4])}
        return given, "dY", [4], lambda t: [
            a * self.d.sigmoid(a * self.d.Dual("0.75")) * b for a, b in zip(t["A"], t["B"])], {
                "alpha": 0.75}

    def celu(self, rng):
        alpha = self.d.Dual("0.75")
        return {"X": self.drawn(rng, [4])}, "dY", [4], lambda t: [
            x if x.value >= 0 else alpha * (self.d.exp(x / alpha) - 1) for x in t["X"]], {
                "alpha": 0.75}

    def cum_sum(self, rng):
        n, exclusive, reverse = rng.randint(1, 4), rng.randint(0, 1), rng.randint(0, 1)

        def of(t):
            y = []
            for first in (0, n):
                row = t["x"][first:first + n]
                y += [self.total([x for j, x in enumerate(row) if (
                    j > i if reverse else j < i) or j == i and not exclusive]) for i in range(n)]
            return y
        return {"x": self.drawn(rng, [2, n])}, "dy", [2, n], of, {
            "exclusive": exclusive, "reverse": reverse}, {
                "axis": {"dtype": "i32", "shape": [], "data": [rng.choice((1, -1))]}}

    def rotary(self, rng):
        batch, heads, steps, half = (rng.randint(1, 2) for _ in range(4))
        rest, interleaved, flat = 2 * rng.randint(0, 1), rng.randint(0, 1), rng.randint(0, 1)
        width = 2 * half + rest
        shape = [batch, steps, heads * width] if flat else [batch, heads, steps, width]
        ids = [rng.randint(0, 2) for _ in range(batch * steps)]
        given = {"X": self.drawn(rng, shape), "cos_cache": self.drawn(rng, [3, half]),
                 "sin_cache": self.drawn(rng, [3, half])}

        def at(n, h, s, k):
            row = (n * steps + s) * heads + h if flat else (n * heads + h) * steps + s
            return row * width + k

        def of(t):
            y = list(t["X"])
            for n, h, s, k in places([batch, heads, steps, half]):
                one, two = (2 * k, 2 * k + 1) if interleaved else (k, half + k)
                c, z = (t[f"{f}_cache"][ids[n * steps + s] * half + k] for f in ("cos", "sin"))
                a, b = t["X"][at(n, h, s, one)], t["X"][at(n, h, s, two)]
                y[at(n, h, s, one)], y[at(n, h, s, two)] = a * c - b * z, a * z + b * c
            return y
        attributes = {"interleaved": interleaved, "rotary_embedding_dim": 2 * half}
        return given, "dY", shape, of, {**attributes, **({"num_heads": heads} if flat else {})}, {
            "position_ids": {"dtype": "i64", "shape": [batch, steps], "data": ids}}

    def dot(self, rng):
        sizes = {k: rng.randint(1, 3) for k in "bcdmn"}
        left, right = (rng.sample(of, len(of)) for of in ("bcdm", "bcdn"))
        pairs = rng.sample("cd", 2)
        given = {"lhs": self.drawn(rng, [sizes[k] for k in left]),
                 "rhs": self.drawn(rng, [sizes[k] for k in right])}

        def of(t):
            y = []
            for b, m, n in places([sizes[k] for k in "bmn"]):
                terms = []
                for c, d in places([sizes[k] for k in "cd"]):
                    place = {"b": b, "m": m, "n": n, "c": c, "d": d}
                    x, z = (t[name][index(given[name][0], [place[k] for k in letters])]
                            for name, letters in (("lhs", left), ("rhs", right)))
                    terms.append(x * z)
                y.append(self.total(terms))
            return y
        return given, "dresult", [sizes[k] for k in "bmn"], of, {
            "lhs_batching_dimensions": [left.index("b")],
            "rhs_batching_dimensions": [right.index("b")],
            "lhs_contracting_dimensions": [left.index(k) for k in pairs],
            "rhs_contracting_dimensions": [right.index(k) for k in pairs]}

    def attention(self, rng):
        """Heads share keys; a mask, windows and padding take some away, and may leave none. Keys of
        the past come first, and what comes into the keys that are kept counts, too, and into
        scores, as they are, capped, masked, or weights; heads may lie in the last axis."""
        groups, heads, rows, keys, n, width = (rng.randint(1, 3) for _ in range(6))
        past, flat, kept = rng.randint(0, 2), rng.randint(0, 1), rng.randint(0, 1)
        every = keys + past
        sizes = {"Q": (groups * heads, rows, n), "K": (groups, keys, n), "V": (groups, keys, width),
                 **({"past_key": (groups, past, n), "past_value": (groups, past, width)}
                    if past else {})}

        def shape_of(name, h, i, d):
            return [1, i, h * d] if flat and "past" not in name and "present" not in name else (
                [1, h, i, d])
        given = {name: (shape_of(name, *size),
                        [x / 8 for x in self.drawn(rng, [math.prod(size)])[1]])
                 for name, size in sizes.items()}
        masked, causal, cap = rng.randint(0, 1), rng.randint(0, 1), rng.choice((0, 0.75))
        scored, mode = int(rng.random() < 0.8), rng.randint(0, 3)
        left, right = rng.randint(-1, 2), rng.randint(-1, 2)
        padded = not past and rng.randint(0, 1)
        count = rng.randint(0, keys) if padded else every
        mask = [rng.random() < 0.7 or not masked for _ in range(rows * every)]

        def element(t, name, h, i, d):
            h_, i_, d_ = sizes[name]
            return t[name][(i * h_ + h) * d_ + d if given[name][0][1:] == [i_, h_ * d_] else
                           (h * i_ + i) * d_ + d]

        def both(t, name, h, j, d):
            return element(t, f"past_{name}", h, j, d) if j < past else element(
                t, name[0].upper(), h, j - past, d)

        def is_seen(i, j):
            ahead = j - i - past - (count - rows if padded else 0)
            return j < count and (not causal or ahead <= 0) and (
                left < 0 or -ahead <= left) and (right < 0 or ahead <= right)

        def head(t, h, i):
            """What the query gives, and its row of scores."""
            q = [element(t, "Q", h, i, d) for d in range(n)]
            scores = [self.total([q[d] * both(t, "key", h // heads, j, d) for d in range(n)]) * 0.5
                      for j in range(every)]
            capped = [self.d.tanh(s / cap) * cap if cap else s for s in scores]
            zero = self.d.Dual(0)
            powers = [self.d.exp(s) if mask[i * every + j] and is_seen(i, j) else zero
                      for j, s in enumerate(capped)]
            total = self.total(powers)
            weights = [p / total for p in powers] if total.value else powers
            row = [scores, capped, [s if is_seen(i, j) else zero for j, s in enumerate(capped)],
                   weights][mode]
            return [self.total([p * both(t, "value", h // heads, j, d)
                                for j, p in enumerate(weights)]) for d in range(width)], row

        def of(t):
            order = [(h, i) for i in range(rows) for h in range(groups * heads)]
            y = sum((head(t, h, i)[0] for h, i in (order if flat else sorted(order))), [])
            kept_keys = [both(t, "key", h, j, d) for h, j, d in places([groups, every, n])]
            return y + kept * (kept_keys + [
                both(t, "value", h, j, d) for h, j, d in places([groups, every, width])]
            ) + scored * sum((head(t, h, i)[1] for h, i in sorted(order)), [])
        return given, {"dY": shape_of("Y", groups * heads, rows, width), **(
            {"dpresent_key": [1, groups, every, n], "dpresent_value": [1, groups, every, width]}
            if kept else {}), **({"dqk_matmul_output": [1, groups * heads, rows, every]}
                                 if scored else {})}, None, of, {
            "scale": 0.5, "softcap": cap, "is_causal": causal, "qk_matmul_output_mode": mode,
            "left_window_size": left, "right_window_size": right,
            **({"softmax_precision": 11} if rng.randint(0, 1) else {}),
            **({"q_num_heads": groups * heads, "kv_num_heads": groups} if flat else {})}, {
                **({"attn_mask": {"dtype": "bool", "shape": [rows, every], "data": mask}}
                   if masked else {}),
                **({"nonpad_kv_seqlen": {"dtype": "i64", "shape": [1], "data": [count]}}
                   if padded else {})}

    def linear_attention(self, rng):
        """Token by token; what comes into the last state counts, too."""
        steps, groups, heads, n, width = (rng.randint(1, 3) for _ in range(5))
        rule = rng.choice(("linear", "gated", "delta", "gated_delta"))
        decays, rates = rng.choice((1, n)), rng.choice((1, groups))
        scale = rng.choice((0, 0.5))
        sizes = {"query": [1, steps, groups * heads * n], "key": [1, steps, groups * n],
                 "value": [1, steps, groups * width], "past_state": [1, groups, n, width],
                 "decay": [1, steps, groups * decays], "beta": [1, steps, rates]}
        given = {key: (shape, [x / 4 for x in self.drawn(rng, shape)[1]])
                 for key, shape in sizes.items()}
        factor = scale or 1 / self.d.mpmath.sqrt(n)

        def of(t):
            at = {key: lambda i, j, key=key: t[key][i * sizes[key][2] + j] for key in sizes}
            y = [[None] * (groups * heads * width) for _ in range(steps)]
            last = []
            for h in range(groups):
                state = [[t["past_state"][(h * n + i) * width + j] for j in range(width)]
                         for i in range(n)]
                for s in range(steps):
                    k = [at["key"](s, h * n + i) for i in range(n)]
                    if "gated" in rule:
                        state = [[x * self.d.exp(at["decay"](s, h * decays + i % decays))
                                  for x in row] for i, row in enumerate(state)]
                    for j in range(width):
                        new = at["value"](s, h * width + j)
                        if "delta" in rule:
                            new = (new - self.total([k[i] * state[i][j] for i in range(n)])) * (
                                at["beta"](s, h % rates))
                        for i in range(n):
                            state[i][j] = state[i][j] + k[i] * new
                    for r, j in places([heads, width]):
                        q = h * heads + r
                        y[s][q * width + j] = self.total([
                            at["query"](s, q * n + i) * state[i][j] for i in range(n)]) * factor
                last += [x for row in state for x in row]
            return sum(y, []) + last
        return given, {"doutput": [1, steps, groups * heads * width],
                       "dpresent_state": sizes["past_state"]}, None, of, {
            "q_num_heads": groups * heads, "kv_num_heads": groups, "update_rule": rule,
            "scale": scale}


def operators(duals):
    of = Texts(duals)
    reductions = ("l1", "l2", "sum", "mean", "sum_square", "log_sum", "log_sum_exp", "max", "min",
                  "prod")
    return {**{f"reduce_{name}": of.reduced(name) for name in reductions},
            **{name: of.many(name) for name in ("max", "min", "sum", "mean")},
            "batch_normalization": of.batch, "instance_normalization": of.instance,
            "group_normalization": of.group, "lp_normalization": of.lp, "lrn": of.lrn,
            "attention": of.attention, "linear_attention": of.linear_attention,
            "where": of.where, "clip": of.clip, "swiglu": of.swiglu, "celu": of.celu,
            "cum_sum": of.cum_sum, "rotary_embedding": of.rotary, "dot_general": of.dot}
