# SPDX-License-Identifier: Apache-2.0
"""Conforming gradients of attention, drawn anew each time: the scale at queries, keys, scores or
sums, softmax's by sums of P dP or of dY Y, weights that are stored or made again of the logarithm
of sums, heads that share keys one by one or together; keys and values of the past before the
others, and what comes in for those that are kept, and for scores or weights, added to sums that are
stored or not; softmax in a type of its own. None is accused, and an answer off by a thousandth is
seen. ASSAY_SEED repeats a run."""

import copy
import sys

import numpy as np

sys.path.insert(0, "harness/tests")
sys.path.insert(0, "ref/op/tests/declared")
import fleet  # noqa: E402
from gradient_fleet_test import KINDS, SEED, hold  # noqa: E402
from tap import finish  # noqa: E402

LOG2E = np.float64(1.4426950408889634)
NUMBERS = {"f32": 1, "f16": 10, "f64": 11, "bf16": 16}  # of types, in ONNX


def stored(way, x):
    """As it is, or kept in the type of the data before it is used."""
    return fleet.store(way.kind, x) if way.pick("held", "stored") == "stored" else x


def scores(way, q, k, scale, place):
    """Scores, and what queries and keys were multiplied with."""
    root = way.round(np.sqrt(scale))
    by_q, by_k = {"both": (root, root), "query": (scale, 1.0), "key": (1.0, scale)}.get(
        place, (1.0, 1.0))
    q, k = (stored(way, way.mul(x, by)) if by != 1 else x for x, by in ((q, by_q), (k, by_k)))
    s = way.matmul(q, k.swapaxes(-1, -2))
    return (way.mul(s, scale) if place in ("scores", "sums") else s), q, k, by_q, by_k


def of_softmax(way, attributes):
    """How it computes its softmax."""
    kind = next((k for k, n in NUMBERS.items() if n == attributes.get("softmax_precision")), None)
    if kind is None:
        return way
    own = copy.copy(way)
    own.kind = kind
    own.work = "f64" if kind == "f64" or way.rng.random() < 0.15 else "f32"
    return own


def weights(way, z, how):
    """P: a quotient, or made again of the logarithm of sums."""
    e, m, total = fleet.exponentials(way, z)
    if how == "quotient":
        return fleet.quotient(way, e, total)
    if how == "natural":
        return way.function("exp", way.add(z, -way.add(m, way.function("log", total))))
    log2e = way.round(LOG2E)
    of_sums = way.add(way.mul(m, log2e), way.function("log2", total))
    return way.function("exp2", way.add(way.mul(z, log2e), -of_sums))


def shared(way, parts):
    """What heads add to the gradient of the keys that they share, one by one or all at once."""
    if way.pick("heads", "all") == "heads":
        return way.sum(np.array([stored(way, way.sum(part)) for part in parts]))
    return way.sum(np.concatenate(parts))


def attention(way, x, of):
    k, v = (np.concatenate([x[f"past_{name}"][0, 0], x[of_new][0, 0]])
            for name, of_new in (("key", "K"), ("value", "V")))
    past = x["past_key"].shape[2]
    scale, causal = np.float64(np.float32(of["scale"])), of["is_causal"]
    place = way.pick("both", "query", "key", "scores", "sums")
    again = way.pick("quotient", "natural", "two")
    slope, mode, soft = way.pick("rows", "output"), of["qk_matmul_output_mode"], of_softmax(way, of)
    dq, to_keys, to_values = [], [], []
    for q, dy, scored in zip(x["Q"][0], x["dY"][0], x["dqk_matmul_output"][0]):
        def more(at, g):
            return way.add(stored(way, g), scored) if at == mode else g
        z, qs, ks, by_q, by_k = scores(way, q, k, scale, place)
        if causal:
            z = np.where(np.arange(z.shape[1]) <= past + np.arange(z.shape[0])[:, None], z, -np.inf)
        apart = stored(soft, weights(soft, stored(soft, z), again))
        p = stored(way, apart)
        dp = stored(soft, stored(way, more(3, way.matmul(dy, v.T))))
        if slope == "rows":
            d = soft.sum_last(soft.mul(apart, dp))
        else:
            d = soft.sum_last(soft.mul(dy, stored(way, way.matmul(p, v))))
            d = soft.add(d, soft.sum_last(soft.mul(scored, p))) if mode == 3 else d
        ds = more(2, stored(soft, soft.mul(apart, soft.add(dp, -d))))
        ds = more(0, more(1, np.where(np.isneginf(z), 0, ds)))
        ds = stored(way, way.mul(ds, scale) if place == "scores" else ds)
        last = scale if place == "sums" else 1.0
        dq.append(way.mul(way.matmul(ds, ks), by_q if place != "sums" else last))
        to_keys.append(way.mul(ds[:, :, None], qs[:, None]))
        to_values.append(way.mul(p[:, :, None], dy[:, None]))
    dk = way.mul(shared(way, to_keys), by_k if place != "sums" else last)
    dk, dv = (way.add(stored(way, d), x[f"dpresent_{name}"][0, 0])
              for d, name in ((dk, "key"), (shared(way, to_values), "value")))
    found = {"K": dk[past:], "V": dv[past:], "past_key": dk[:past], "past_value": dv[:past]}
    return {"dQ": np.array(dq)[None], **{f"d{name}": d[None, None] for name, d in found.items()}}


def draw(rng, name, kind):
    grid = lambda *shape: fleet.store(kind, rng.normal(size=shape))  # noqa: E731
    heads, rows, keys, n, width = (int(rng.integers(1, 5)) for _ in range(5))
    past = int(rng.integers(0, 4))
    far = float(rng.choice((1, 1, 8)))  # of scores that are far from 0
    own = rng.choice((kind, "f32", "f64") if rng.random() < 0.8 else list(NUMBERS))
    precision = {"softmax_precision": NUMBERS[own]} if rng.random() < 0.5 else {}
    return {"Q": fleet.store(kind, far * grid(1, heads, rows, n)), "K": grid(1, 1, keys, n),
            "V": grid(1, 1, keys, width), "dY": grid(1, heads, rows, width),
            "past_key": grid(1, 1, past, n), "past_value": grid(1, 1, past, width),
            "dpresent_key": grid(1, 1, past + keys, n),
            "dpresent_value": grid(1, 1, past + keys, width),
            "dqk_matmul_output": grid(1, heads, rows, past + keys)}, {
                "scale": float(rng.choice((0.3, 0.5, 1))), "is_causal": int(rng.integers(0, 2)),
                "qk_matmul_output_mode": int(rng.integers(0, 4)), **precision}


def main():
    print(f"# seed {SEED}")
    hold(0, "attention", KINDS, draw, lambda way, _, case: attention(way, *case))
    finish()


if __name__ == "__main__":
    main()
