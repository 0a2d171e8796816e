# SPDX-License-Identifier: Apache-2.0
"""A model of the oneDNN RNN primitive, written from its equations with plain loops over any kind of
number: the arithmetic (onednn_rnn_numbers.py) decides what the model is.
"""

import itertools
import math
from fractions import Fraction

GATES = {"vanilla_rnn": 1, "lstm": 4, "gru": 3, "lbr_gru": 3, "augru": 3, "lbr_augru": 3}
PARAMETERS = ("weights_layer", "weights_iter", "weights_peephole", "weights_projection", "bias")


class Tensor:
    """Row-major numbers with a shape."""

    def __init__(self, shape, data):
        self.shape, self.data = list(shape), data
        assert len(data) == math.prod(shape)

    def __getitem__(self, index):
        at = 0
        for size, i in zip(self.shape, index):
            assert 0 <= i < size
            at = at * size + i
        return self.data[at]

    def __setitem__(self, index, value):
        at = 0
        for size, i in zip(self.shape, index):
            assert 0 <= i < size
            at = at * size + i
        self.data[at] = value

    @staticmethod
    def full(shape, value):
        return Tensor(shape, [value] * math.prod(shape))


class Model:
    """attributes: as in a request; inputs: name -> Tensor of numbers of `arithmetic`; types: name
    -> dtype."""

    def __init__(self, attributes, inputs, types, arithmetic):
        self.a, self.inputs, self.types, self.arithmetic = attributes, inputs, types, arithmetic
        self.cell = attributes["cell"]
        self.gates = GATES[self.cell]
        self.T, self.N, self.SLC = inputs["src_layer"].shape
        self.L, self.D, _, _, self.DHC = inputs["weights_layer"].shape
        self.SIC = inputs["weights_iter"].shape[2]
        self.projected = "weights_projection" in inputs
        self.DIC = inputs["weights_projection"].shape[3] if self.projected else self.DHC
        self.lbr = self.cell.startswith("lbr")
        self.attention = "augru" in self.cell
        self.quantised = types["src_layer"] in ("u8", "i8")
        self.state = types["src_layer"]
        self.c_type = attributes.get("dst_iter_c_type", types.get("src_iter_c", "f32"))
        self.zero = arithmetic.number(0)
        self.trace = {}

    # nodes
    def rn(self, x):
        return self.arithmetic.store(x, "f32")

    def rs(self, x):
        return self.arithmetic.store(x, self.state)

    def rc(self, x):
        return self.arithmetic.store(x, self.c_type)

    def total(self, leaves):
        """One node: the sum of products of one or two numbers."""
        total = None
        for leaf in leaves:
            value = leaf[0] * leaf[1] if len(leaf) == 2 else leaf[0]
            total = value if total is None else total + value
        return self.rn(total)

    def blend(self, u, h, o):
        return self.rn(u * h + (1 - u) * o)

    def get(self, name, index):
        return self.inputs[name][index] if name in self.inputs else self.zero

    def times(self, d):
        backwards = self.a.get("direction") == "right2left" or d == 1
        return list(range(self.T))[::-1 if backwards else 1]

    def gate(self, l, d, g, x, h, extra=None):
        """One node: x.W_g + h.U_g + B_g + extra, for every hidden channel."""
        result = []
        for o in range(self.DHC):
            leaves = [(self.get("bias", (l, d, g, o)),)] + ([extra[o]] if extra else [])
            leaves += [(x[i], self.inputs["weights_layer"][l, d, i, g, o]) for i in range(self.SLC)]
            if h is not None:
                leaves += [
                    (h[i], self.inputs["weights_iter"][l, d, i, g, o]) for i in range(self.SIC)
                ]
            result.append(self.total(leaves))
        return result

    def logistic(self, z):
        return [self.arithmetic.logistic(v) for v in z]

    def tanh(self, z):
        return [self.arithmetic.tanh(v) for v in z]

    def peephole(self, l, d, k, of):
        """The leaves of a peephole; none where there is none, whatever they would multiply."""
        if "weights_peephole" not in self.inputs:
            return None
        return [(self.get("weights_peephole", (l, d, k, o)), of[o]) for o in range(self.DHC)]

    # forward, one row of one step: x, h', c' -> h, c and what backward wants
    def step(self, l, d, x, h, c, a):
        every = range(self.DHC)
        peephole = lambda k, of: self.peephole(l, d, k, of)
        v = {"x": x, "h'": h, "c'": c, "a": a}
        if self.cell == "vanilla_rnn":
            z = self.gate(l, d, 0, x, h)
            if self.a["activation"] == "relu":
                alpha = self.arithmetic.number(Fraction(self.a.get("alpha", 0)))
                y = [k if k > 0 else self.rn(alpha * k) for k in z]
            else:
                y = self.tanh(z) if self.a["activation"] == "tanh" else self.logistic(z)
            v.update(z=z, y=y)
            return [self.rs(k) for k in y], None, v
        if self.cell == "lstm":
            i = self.logistic(self.gate(l, d, 0, x, h, peephole(0, c)))
            f = self.logistic(self.gate(l, d, 1, x, h, peephole(1, c)))
            g = self.tanh(self.gate(l, d, 2, x, h))
            new = [self.rn(f[o] * c[o] + i[o] * g[o]) for o in every]
            q = self.logistic(self.gate(l, d, 3, x, h, peephole(2, new)))
            t = self.tanh(new)
            m = [self.rn(q[o] * t[o]) for o in every]
            ms = [self.rs(k) for k in m]
            out = ms
            if self.projected:
                R = self.inputs["weights_projection"]
                out = [
                    self.rs(self.total([(ms[k], R[l, d, k, j]) for k in every]))
                    for j in range(self.DIC)
                ]
            v.update(i=i, f=f, g=g, c=new, o=q, t=t, ms=ms)
            return out, [self.rc(k) for k in new], v
        u, r = self.logistic(self.gate(l, d, 0, x, h)), self.logistic(self.gate(l, d, 1, x, h))
        ua = [self.rn((1 - a) * k) for k in u] if self.attention else u
        if self.lbr:
            U = self.inputs["weights_iter"]
            w = [
                self.total(
                    [(self.get("bias", (l, d, 3, o)),)]
                    + [(h[i], U[l, d, i, 2, o]) for i in range(self.SIC)]
                )
                for o in every
            ]
            s = None
            z = self.gate(l, d, 2, x, None, [(r[o], w[o]) for o in every])
        else:
            w = None
            s = [self.rs(self.rn(r[o] * h[o])) for o in every]
            z = self.gate(l, d, 2, x, s)
        n = self.tanh(z)
        out = [self.rs(self.blend(ua[o], h[o], n[o])) for o in every]
        v.update(u=u, r=r, ua=ua, s=s, w=w, o=n)
        return out, None, v

    # int8: exact integers, q(v) = sat(rne(v*S + Z))
    def saturate(self, x):
        low, high = (0, 255) if self.state == "u8" else (-128, 127)
        return Fraction(min(max(round(x), low), high))

    def quantised_step(self, l, d, x, h, c):
        S, Z = (Fraction(self.a[k]) for k in ("data_scale", "data_shift"))
        scales = [Fraction(k) for k in self.a.get("weights_scales", [1])]
        projection = [Fraction(k) for k in self.a.get("projection_scales", [1])]
        every = range(self.DHC)
        W, U = self.inputs["weights_layer"], self.inputs["weights_iter"]

        def gate(g, recurrent):
            z = []
            for o in every:
                ws = scales[g * self.DHC + o] if len(scales) > 1 else scales[0]
                acc = sum(x[i] * W[l, d, i, g, o] for i in range(self.SLC))
                acc += sum(recurrent[i] * U[l, d, i, g, o] for i in range(self.SIC))
                column = sum(W[l, d, i, g, o] for i in range(self.SLC)) + sum(
                    U[l, d, i, g, o] for i in range(self.SIC)
                )
                bias = self.get("bias", (l, d, g, o))
                if self.a.get("profile", {}).get("int8_bias") == "folded":
                    z.append(self.rn(acc / (ws * S) + self.rn(bias - column * Z / (ws * S))))
                else:
                    z.append(self.rn((acc - Z * column) / (ws * S) + bias))
            return z

        if self.cell == "lstm":
            i, f, q = (self.logistic(gate(k, h)) for k in (0, 1, 3))
            g = self.tanh(gate(2, h))
            new = [self.rn(f[o] * c[o] + i[o] * g[o]) for o in every]
            t = self.tanh(new)
            m = [self.saturate(self.rn(q[o] * t[o]) * S + Z) for o in every]
            if not self.projected:
                return m, new
            R = self.inputs["weights_projection"]
            out = []
            for j in range(self.DIC):
                ps = projection[j] if len(projection) > 1 else projection[0]
                acc = sum(m[k] * R[l, d, k, j] for k in every)
                out.append(self.saturate((acc - Z * sum(R[l, d, k, j] for k in every)) / ps + Z))
            return out, new
        u, r = self.logistic(gate(0, h)), self.logistic(gate(1, h))
        s = [self.saturate((h[o] - Z) * r[o] + Z) for o in every]
        n = self.tanh(gate(2, s))
        return [self.saturate(u[o] * (h[o] - Z) + (1 - u[o]) * n[o] * S + Z) for o in every], None

    def forward(self):
        a = self.a
        mixed = (
            self.quantised
            and self.types.get("src_iter", a.get("dst_iter_type", self.state)) == "f32"
        )
        if self.quantised:
            S, Z = Fraction(a["data_scale"]), Fraction(a["data_shift"])
        final_h = Tensor.full([self.L, self.D, self.N, self.DIC], self.zero)
        final_c = Tensor.full([self.L, self.D, self.N, self.DHC], self.zero)
        top = {}
        for l, d, n in itertools.product(range(self.L), range(self.D), range(self.N)):
            h = [self.get("src_iter", (l, d, n, i)) for i in range(self.SIC)]
            if self.quantised and (mixed or "src_iter" not in self.inputs):
                h = [self.saturate(k * S + Z) for k in h]
            c = [self.get("src_iter_c", (l, d, n, i)) for i in range(self.DHC)]
            for t in self.times(d):
                x = (
                    [self.inputs["src_layer"][t, n, i] for i in range(self.SLC)]
                    if l == 0
                    else top[l - 1, d, t, n]
                )
                if self.quantised:
                    h, c = self.quantised_step(l, d, x, h, c)
                else:
                    h, c, v = self.step(
                        l, d, x, h, c, self.get("attention", (t, n, 0)) if self.attention else None
                    )
                    self.trace[l, d, t, n] = v
                top[l, d, t, n] = h
            for j in range(self.DIC):
                final_h[l, d, n, j] = self.rn((h[j] - Z) / S) if mixed else h[j]
            for j in range(self.DHC if c else 0):
                final_c[l, d, n, j] = c[j]
        concat = a.get("direction") == "bidirectional_concat"
        DLC = self.DIC * (2 if concat else 1)
        dst = Tensor.full([self.T, self.N, DLC], self.zero)
        for t, n, j in itertools.product(range(self.T), range(self.N), range(DLC)):
            if concat or self.D == 1:
                y = top[self.L - 1, j // self.DIC, t, n][j % self.DIC]
                y = (
                    self.rn((y - Z) / S)
                    if self.quantised and a.get("dst_layer_type") == "f32"
                    else y
                )
            else:
                y = top[self.L - 1, 0, t, n][j] + top[self.L - 1, 1, t, n][j]
                corrected = a.get("profile", {}).get("int8_sum") == "corrected"
                if self.quantised:
                    y = self.saturate(y - Z if corrected else y)
                    if a.get("dst_layer_type") == "f32":
                        y = self.rn((y - (1 if corrected else 2) * Z) / S)
                else:
                    y = self.rs(y)
            dst[t, n, j] = y
        outputs = {"dst_layer": dst, "dst_iter": final_h}
        if self.cell == "lstm":
            outputs["dst_iter_c"] = final_c
        return outputs

    # what an implementation may do otherwise
    def kept(self, v):
        """What a backward step has of its forward one."""
        return v

    def entering(self, x):
        """A gradient as it enters products."""
        return x

    @staticmethod
    def tanh_slope(y):
        return 1 - y * y

    @staticmethod
    def logistic_slope(y):
        return y - y * y

    @staticmethod
    def product(*factors):
        return math.prod(factors[1:], start=factors[0])

    def dz(self, *factors):
        """The gradient of a gate's sum."""
        return self.entering(self.rn(self.product(*factors)))

    # backward, one row of one step: dH (and dc) -> dz by gate, dh', dc', and the gradients of
    # attention
    def back_step(self, l, d, v, dH, dc):
        every, rn = range(self.DHC), self.rn
        U = self.inputs["weights_iter"]

        def through(matrix, inputs, parts, extra=None):
            """One node: extra + the sum over gates of dz_g.matrix_g^T."""
            return [
                self.total(
                    (extra[i] if extra else [])
                    + [(dz[o], matrix[l, d, i, g, o]) for g, dz in parts for o in every]
                )
                for i in range(inputs)
            ]

        if self.cell == "vanilla_rnn":
            kind = self.a["activation"]
            alpha = self.arithmetic.number(Fraction(self.a.get("alpha", 0)))
            one = self.arithmetic.number(1)
            slope = [(1 if k > 0 else alpha) * one for k in v["z"]] if kind == "relu" else (
                [self.tanh_slope(y) for y in v["y"]] if kind == "tanh" else (
                    [self.logistic_slope(y) for y in v["y"]]))
            dz = [self.dz(dH[o], slope[o]) for o in every]
            return {"dz": [dz], "recurrent": [dz], "dh'": through(U, self.SIC, [(0, dz)])}
        if self.cell == "lstm":
            i, f, g, o_, t, c, old = (v[k] for k in ("i", "f", "g", "o", "t", "c", "c'"))
            dm = dH
            if self.projected:
                R = self.inputs["weights_projection"]
                dm = [self.total([(dH[j], R[l, d, k, j]) for j in range(self.DIC)]) for k in every]
            dzo = [self.dz(t[k], dm[k], self.logistic_slope(o_[k])) for k in every]
            peephole = lambda row, of, k: [math.prod(leaves[k]) for leaves in
                                           [self.peephole(l, d, row, of)] if leaves]
            dct = [
                rn(sum(peephole(2, dzo, k),
                       dc[k] + self.product(self.tanh_slope(t[k]), o_[k], dm[k])))
                for k in every
            ]
            dzf = [self.dz(old[k], dct[k], self.logistic_slope(f[k])) for k in every]
            dzi = [self.dz(g[k], dct[k], self.logistic_slope(i[k])) for k in every]
            dzc = [self.dz(i[k], dct[k], self.tanh_slope(g[k])) for k in every]
            dz = [dzi, dzf, dzc, dzo]
            return {"dz": dz, "recurrent": dz, "dh'": through(U, self.SIC, list(enumerate(dz))),
                    "dc'": [rn(sum(peephole(1, dzf, k) + peephole(0, dzi, k), f[k] * dct[k]))
                            for k in every]}
        u, r, ua, s, w, n, h = (v[k] for k in ("u", "r", "ua", "s", "w", "o", "h'"))
        keep = [1 - v["a"]] if self.attention else []
        dzo = [self.dz(1 - ua[k], dH[k], self.tanh_slope(n[k])) for k in every]
        dzu = [
            self.dz(*keep, h[k] - n[k], dH[k], self.logistic_slope(u[k])) for k in every
        ]
        attention = [(-((h[k] - n[k]) * dH[k] * u[k]),) for k in every]
        if self.lbr:
            dzr = [self.dz(w[k], dzo[k], self.logistic_slope(r[k])) for k in every]
            e = [self.dz(r[k], dzo[k]) for k in every]
            dh = through(
                U, self.SIC, [(0, dzu), (1, dzr), (2, e)], [[(dH[k], ua[k])] for k in every]
            )
            return {
                "dz": [dzu, dzr, dzo],
                "recurrent": [dzu, dzr, e],
                "dh'": dh,
                "attention": attention,
            }
        q = through(U, self.SIC, [(2, dzo)])
        dzr = [self.dz(q[k], h[k], self.logistic_slope(r[k])) for k in every]
        dh = through(
            U, self.SIC, [(0, dzu), (1, dzr)], [[(dH[k], ua[k]), (q[k], r[k])] for k in every]
        )
        return {
            "dz": [dzu, dzr, dzo],
            "recurrent": [dzu, dzr, dzo],
            "dh'": dh,
            "attention": attention,
        }

    def backward(self):
        self.forward()
        rn, zero = self.rn, self.zero
        concat = self.a.get("direction") == "bidirectional_concat"
        gradients = {}
        for name in PARAMETERS:
            if name in self.inputs:
                kept = "diff_" + name in self.inputs and not self.a.get("diff_weights_overwrite")
                shape = self.inputs[name].shape
                initial = self.inputs["diff_" + name] if kept else Tensor.full(shape, zero)
                gradients[name] = Tensor(shape, [[(k,)] for k in initial.data])  # leaves of a sum
        gradients["src_layer"] = Tensor.full([self.T, self.N, self.SLC], zero)
        first_h = Tensor.full([self.L, self.D, self.N, self.SIC], zero)
        first_c = Tensor.full([self.L, self.D, self.N, self.DHC], zero)
        attention = Tensor([self.T, self.N, 1], [[] for _ in range(self.T * self.N)])
        down = {}
        for l, d, n in itertools.product(reversed(range(self.L)), range(self.D), range(self.N)):
            dh = [self.get("diff_dst_iter", (l, d, n, j)) for j in range(self.DIC)]
            dc = [self.get("diff_dst_iter_c", (l, d, n, j)) for j in range(self.DHC)]
            for t in self.times(d)[::-1]:
                v = self.kept(self.trace[l, d, t, n])
                above = (
                    [
                        self.inputs["diff_dst_layer"][t, n, j + (self.DIC * d if concat else 0)]
                        for j in range(self.DIC)
                    ]
                    if l == self.L - 1
                    else down[l + 1, d, t, n]
                )
                dH = [self.entering(rn(above[j] + dh[j])) for j in range(self.DIC)]
                b = self.back_step(l, d, v, dH, dc)
                for g, dz in enumerate(b["dz"]):
                    recurrent = b["recurrent"][g]
                    left = v["s"] if self.cell in ("gru", "augru") and g == 2 else v["h'"]
                    for o in range(self.DHC):
                        for i in range(self.SLC):
                            gradients["weights_layer"][l, d, i, g, o].append((v["x"][i], dz[o]))
                        for i in range(self.SIC):
                            gradients["weights_iter"][l, d, i, g, o].append((left[i], recurrent[o]))
                        if "bias" in gradients:
                            gradients["bias"][l, d, g, o].append((dz[o],))
                            if self.lbr and g == 2:
                                gradients["bias"][l, d, 3, o].append((recurrent[o],))
                if "weights_peephole" in gradients:
                    for k, (g, c) in enumerate(((0, "c'"), (1, "c'"), (3, "c"))):
                        for o in range(self.DHC):
                            gradients["weights_peephole"][l, d, k, o].append(
                                (v[c][o], b["dz"][g][o])
                            )
                if self.projected:
                    for k in range(self.DHC):
                        for j in range(self.DIC):
                            gradients["weights_projection"][l, d, k, j].append((v["ms"][k], dH[j]))
                if self.attention:
                    attention[t, n, 0].extend(b["attention"])
                W = self.inputs["weights_layer"]
                down[l, d, t, n] = [
                    self.total(
                        [
                            (dz[o], W[l, d, i, g, o])
                            for g, dz in enumerate(b["dz"])
                            for o in range(self.DHC)
                        ]
                    )
                    for i in range(self.SLC)
                ]
                dh, dc = b["dh'"], b.get("dc'", dc)
            for j in range(self.SIC):
                first_h[l, d, n, j] = dh[j]
            for j in range(self.DHC):
                first_c[l, d, n, j] = dc[j]
        for t, n, i in itertools.product(range(self.T), range(self.N), range(self.SLC)):
            total = down[0, 0, t, n][i]
            gradients["src_layer"][t, n, i] = (
                rn(total + down[0, 1, t, n][i]) if self.D == 2 else total
            )
        for name in PARAMETERS:
            if name in gradients:
                gradients[name].data = [self.total(k) for k in gradients[name].data]
        if "src_iter" in self.inputs:
            gradients["src_iter"] = first_h
        if "src_iter_c" in self.inputs:
            gradients["src_iter_c"] = first_c
        if self.attention:
            attention.data = [self.total(k) for k in attention.data]
            gradients["attention"] = attention
        return {"diff_" + name: gradient for name, gradient in gradients.items()}

    def run(self):
        return self.backward() if self.a.get("propagation") == "backward" else self.forward()
