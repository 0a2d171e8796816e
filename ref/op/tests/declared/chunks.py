# SPDX-License-Identifier: Apache-2.0
"""Linear attention in chunks, as libraries compute it: the products of a chunk's queries and keys
under a mask, the state from chunk to chunk, decays as differences of cumulated logarithms or as
products, and the delta rule by the inverse of a unit lower triangular matrix. Each multiplication,
addition and function is that of a `fleet.Way`; sizes are any. MISTAKES are known to be made."""

import numpy as np

DECAYS, INVERSES = ("differences", "exp2", "products"), ("substitution", "doubling", "blocks")
# Of each: the rules that it touches.
GATED, DELTA = ("gated", "gated_delta"), ("delta", "gated_delta")
ALL = ("linear", *GATED, "delta")
MISTAKES = {
    "decay of a chunk's first token not on the state": GATED,
    "decay of a chunk's last token twice on the state": GATED,
    "decay of the state's update one token off": GATED,
    "decay of the mask one token off": GATED,
    "decay forgotten in the inverse": ("gated_delta",),
    "decay forgotten where the state is looked up": ("gated_delta",),
    "decays cumulated over all chunks": GATED,
    "state not carried": ALL,
    "state of the first chunk in all": ALL,
    "state of the chunk before the last": ALL,
    "last token of a chunk not in the state": ALL,
    "mask without the diagonal": ALL,
    "no mask": ALL,
    "diagonal in the inverse": DELTA,
    "beta forgotten in the inverse": DELTA,
    "beta of the other token in the inverse": DELTA,
    "inverse of one term": DELTA,
    "sign of the inverse": DELTA,
    "state not looked up": DELTA,
    "last chunk dropped where it is short": ALL,
    "state of a short chunk dropped": ALL,
    "a full last chunk dropped": ALL,
    "first token of a chunk again": ALL,
}


def matmul(way, a, b):
    """Over the last axis of a and the first of b."""
    rows = b.reshape(b.shape[0], *[1] * (a.ndim - 1), -1)
    return way.sum(np.moveaxis(a, -1, 0)[..., None] * rows)


def cumulated(way, g):
    if way.pick("sequence", "each") == "sequence":
        rows = [way.round(g[0])]
        for row in g[1:]:
            rows.append(way.add(rows[-1], row))
        return np.array(rows)
    return np.array([way.sum(g[:t + 1]) for t in range(len(g))])


def power(way, form, x):
    """exp(x) of cumulated logarithms, or of their differences."""
    if form != "exp2":
        return way.function("exp", x)
    return way.function("exp2", way.mul(x, way.round(np.float64(1.4426950408889634))))


def pairs(way, form, a, k, late, early):
    """[t, ..., s]: sums over keys of a[t, ..., :] k[s] exp(late[t] - early[s]), for s <= t."""
    shape = (len(a), *[1] * (a.ndim - 2))
    late = late.reshape(*shape, late.shape[-1])
    if form == "products":
        return matmul(way, way.mul(a, power(way, form, late)),
                      way.mul(k, power(way, form, -early)).T)
    out = np.zeros((*a.shape[:-1], len(k)))
    for s, key in enumerate(k):
        weight = power(way, form, np.minimum(way.add(late, -early[s]), 0.0))
        if weight.shape[-1] == 1:
            out[..., s] = way.mul(matmul(way, a, key[:, None])[..., 0], weight[..., 0])
        else:
            out[..., s] = way.sum(np.moveaxis(way.mul(a, weight), -1, 0) *
                                  key.reshape(-1, *[1] * (a.ndim - 1)))
    return out


def inverse(way, a, how):
    """Of I + a, a strictly lower triangular."""
    n = len(a)
    if how == "doubling":  # (I - a) (I + a^2) (I + a^4) ...
        x, power_of, step = np.eye(n) - a, a, 1
        while 2 * step < n:
            power_of, step = matmul(way, power_of, power_of), 2 * step
            x = way.add(x, matmul(way, x, power_of))
        return x
    if how == "blocks" and n > 1:
        h = n // 2
        left, right = inverse(way, a[:h, :h], how), inverse(way, a[h:, h:], how)
        x = np.zeros((n, n))
        x[:h, :h], x[h:, h:] = left, right
        x[h:, :h] = -matmul(way, right, matmul(way, a[h:, :h], left))
        return x
    x = np.eye(n)
    for t in range(1, n):
        x[t, :t] = -matmul(way, a[t:t + 1, :t], x[:t, :t])[0]
    return x


class Chunks:
    """One head of the state, and the heads of the query that share it."""

    def __init__(self, way, rule, size, form="differences", solved="substitution", wrong=None):
        self.way, self.rule, self.size, self.form, self.solved = way, rule, size, form, solved
        self.wrong = wrong

    def written(self, k, v, late, early, b, state):
        """What each token of a chunk writes."""
        way, wrong = self.way, self.wrong
        if self.rule not in DELTA:
            return v
        flat = 0 * late if wrong == "decay forgotten in the inverse" else late
        a = pairs(way, self.form, k, k, flat, 0 * early if flat is not late else early)
        if wrong != "beta forgotten in the inverse":
            a = way.mul(a, b[None, :] if wrong == "beta of the other token in the inverse" else
                        b[:, None])
        a = np.tril(a, 0 if wrong == "diagonal in the inverse" else -1)
        if wrong == "sign of the inverse":
            a = -a
        x = np.eye(len(k)) - a if wrong == "inverse of one term" else \
            inverse(way, a, self.solved) if wrong != "diagonal in the inverse" else \
            np.linalg.inv(np.eye(len(k)) + a)
        faded = way.mul(k, power(way, self.form, 0 * late if wrong ==
                                 "decay forgotten where the state is looked up" else late))
        if wrong == "state not looked up":
            faded = 0 * faded
        if way.pick("apart", "together") == "together":
            found = matmul(way, faded, state)
            return matmul(way, x, way.mul(b[:, None], way.add(v, -found)))
        u = matmul(way, x, way.mul(b[:, None], v))
        w = matmul(way, x, way.mul(b[:, None], faded))
        return way.add(u, -matmul(way, w, state))

    def chunk(self, q, k, v, g, b, scale, state):
        """(output, state) of one chunk."""
        way, form, wrong = self.way, self.form, self.wrong
        late = early = cumulated(way, g)
        last = late[-1]
        if wrong == "decay of the mask one token off":
            late = np.concatenate([late[:1], late[:-1]])
        inside = late - late[0] if wrong == "decay of a chunk's first token not on the state" else \
            late
        new = self.written(k, v, inside, early, b, state)
        p = pairs(way, form, q, k, late, early)
        keep = np.tril(np.ones((len(k), len(k))), -1 if wrong == "mask without the diagonal" else 0)
        if wrong != "no mask":
            p = p * keep.reshape(len(k), 1, len(k))
        faded = way.mul(q, power(way, form, inside)[:, None])
        o = way.mul(scale, way.add(matmul(way, faded, state), matmul(way, p, new)))
        to_end = way.add(last, -early)
        if wrong == "decay of the state's update one token off":
            to_end = way.add(last, -np.concatenate([early[1:], early[-1:]]))
        keys = way.mul(k, power(way, form, to_end))
        if wrong == "decay of a chunk's last token twice on the state":
            last = last + g[-1]
        if wrong == "last token of a chunk not in the state":
            keys[-1] = 0
        state = way.add(way.mul(power(way, form, last)[:, None], state),
                        matmul(way, keys.T, new))
        return o, state

    def head(self, q, k, v, g, b, scale, state):
        """(output, state): q [T, heads, keys], k [T, keys], v [T, values], g [T, 1 or keys]."""
        wrong, steps, size = self.wrong, len(k), self.size
        first, lagging, out, whole = state, state, np.zeros((*q.shape[:2], v.shape[-1])), g
        for at in range(0, steps, size):
            part = slice(at, at + size)
            if wrong == "first token of a chunk again" and at:
                part = slice(at - 1, at + size)
            short = len(k[part]) < size
            g = whole[part].copy()
            if (wrong == "last chunk dropped where it is short" and short) or \
                    (wrong == "a full last chunk dropped" and at + size == steps):
                break
            if wrong == "decays cumulated over all chunks":
                g[0] = whole[:at + 1].sum(0)
            before = {"state not carried": 0 * first, "state of the first chunk in all": first,
                      "state of the chunk before the last": lagging}.get(wrong, state)
            o, after = self.chunk(q[part], k[part], v[part], g, b[part], scale, before)
            out[at:at + size] = o[-len(out[at:at + size]):]
            lagging = state if at else first
            if wrong != "state of a short chunk dropped" or not short:
                state = after
        return out, state


def linear_attention(way, of, x, size, form="differences", solved="substitution", wrong=None):
    """(output, present_state) of a request's attributes and inputs, arrays of f64, before they are
    stored."""
    rule, heads, kv = of.get("update_rule", "gated_delta"), of["q_num_heads"], of["kv_num_heads"]
    q, k, v = x["query"], x["key"], x["value"]
    batch, steps = k.shape[:2]
    q, k, v = (y.reshape(batch, steps, n, -1) for y, n in ((q, heads), (k, kv), (v, kv)))
    keys, group = k.shape[-1], heads // kv
    scale = np.float64(np.float32(of.get("scale", 0))) or way.div(1.0, way.round(np.sqrt(keys)))
    g = x["decay"].reshape(batch, steps, kv, -1) if rule in GATED else \
        np.zeros((batch, steps, kv, 1))
    b = np.broadcast_to(x["beta"], (batch, steps, kv)) if rule in DELTA else \
        np.ones((batch, steps, kv))
    past = x.get("past_state", np.zeros((batch, kv, keys, v.shape[-1])))
    out, state = np.zeros((batch, steps, heads, v.shape[-1])), np.zeros(past.shape)
    engine = Chunks(way, rule, size, form, solved, wrong)
    for n in range(batch):
        for h in range(kv):
            part = slice(h * group, (h + 1) * group)
            out[n, :, part], state[n, h] = engine.head(
                q[n, :, part], k[n, :, h], v[n, :, h], g[n, :, h], b[n, :, h], scale, past[n, h])
    return out.reshape(batch, steps, -1), state
