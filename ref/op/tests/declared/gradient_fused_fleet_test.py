# SPDX-License-Identifier: Apache-2.0
"""Conforming gradients of chains that runtimes fuse, drawn anew each time: factors first or last,
sums by rows or of dY Y, what lies between two steps stored or not. None is accused, and an answer
off by a thousandth is seen. ASSAY_SEED repeats a run."""

import sys

import numpy as np

sys.path.insert(0, "harness/tests")
sys.path.insert(0, "ref/op/tests/declared")
import fleet  # noqa: E402
from gradient_attention_fleet_test import stored, weights  # noqa: E402
from gradient_fleet_test import KINDS, SEED, Places, conv, hold  # noqa: E402
from tap import finish  # noqa: E402

ALPHA, BETA = np.float64(np.float32(0.7)), np.float64(np.float32(0.3))


def of_bias(way, x, g):
    """C is a row."""
    return way.sum(stored(way, g))


def gemm_relu(way, x, of):
    product = way.mul(ALPHA, way.matmul(x["A"], x["B"])) if way.pick("last", "first") == "last" \
        else way.matmul(way.mul(ALPHA, x["A"]), x["B"])
    g = np.where(way.add(product, way.mul(BETA, x["C"])) > 0, x["dY"], 0)
    if way.pick("last", "first") == "last":
        da, db = (way.mul(ALPHA, way.matmul(*of)) for of in ((g, x["B"].T), (x["A"].T, g)))
    else:
        scaled = stored(way, way.mul(g, ALPHA))
        da, db = way.matmul(scaled, x["B"].T), way.matmul(x["A"].T, scaled)
    return {"dA": da, "dB": db, "dC": of_bias(way, x, way.mul(g, BETA))}


def matmul_bias_gelu(way, x, of):
    """dY (cdf + s pdf), or both apart."""
    s = stored(way, fleet.with_bias(way, x["A"], x["B"], x["C"]))
    z = way.mul(s, way.round(np.sqrt(np.float64(0.5))))
    cdf = way.mul(0.5, way.add(1.0, way.function("erf", z)))
    if way.pick("square", "half") == "half":
        power = way.mul(-0.5, way.mul(s, s))
    else:
        power = -way.mul(z, z)
    pdf = way.mul(way.round(np.float64(0.3989422804014327)), way.function("exp", power))
    if way.pick("sum", "apart") == "sum":
        g = way.mul(x["dY"], way.add(cdf, way.mul(s, pdf)))
    else:
        g = way.add(way.mul(x["dY"], cdf), way.mul(way.mul(x["dY"], s), pdf))
    g = stored(way, g)
    return {"dA": way.matmul(g, x["B"].T), "dB": way.matmul(x["A"].T, g),
            "dC": of_bias(way, x, g)}


def scaled_attention(way, x, of):
    q, k, v, dy, scale = x["Q"], x["K"], x["V"], x["dY"], x["scale"]
    place = way.pick("scores", "query")
    scaled = stored(way, way.mul(q, scale)) if place == "query" else q
    s = way.matmul(scaled, k)
    z = s if place == "query" else way.mul(stored(way, s), scale)
    p = stored(way, weights(way, z, way.pick("quotient", "natural")))
    dp = stored(way, way.matmul(dy, v.T))
    along = way.mul(p, dp) if way.pick("rows", "output") == "rows" else way.mul(
        dy, stored(way, way.matmul(p, v)))
    ds = stored(way, way.mul(p, way.add(dp, -way.sum_last(along))))
    to_q = way.matmul(ds, k.T)
    if place == "scores" and way.pick("early", "late") == "early":
        scaled_ds = stored(way, way.mul(ds, scale))
        dq, dk = way.matmul(scaled_ds, k.T), way.matmul(q.T, scaled_ds)
    elif place == "scores":
        dq, dk = way.mul(to_q, scale), way.mul(way.matmul(q.T, ds), scale)
    else:
        dq, dk = way.mul(to_q, scale), way.matmul(scaled.T, ds)
    terms = way.mul(to_q, q) if place == "query" else way.mul(ds, s)
    return {"dQ": dq, "dK": dk, "dV": way.matmul(p.T, dy), "dscale": way.sum(terms.ravel())}


def conv_relu(way, x, of):
    """In one group."""
    attributes, places = of
    seen = np.nan_to_num(places.seen(x["X"]))  # kernel, batch, channel, places
    w = x["W"].reshape(*x["W"].shape[:2], -1)
    spread = [1] * len(places.sizes)
    maps = [way.sum(np.array([way.mul(seen[i, :, c], w[m, c, i]) for c in range(w.shape[1])
                              for i in range(w.shape[2])])) for m in range(len(w))]
    s = way.add(np.stack(maps, 1), x["B"].reshape(1, -1, *spread))
    return conv(way, {**x, "dY": np.where(stored(way, s) > 0, x["dY"], 0)}, attributes, places)


def mod(way, x, of):
    """B is a row; the remainder may be that of fmod and what is added to it."""
    ratio = way.div(x["A"], x["B"])
    whole = np.trunc(ratio) if of["fmod"] else np.floor(ratio)
    return {"dA": x["dC"], "dB": way.sum(stored(way, way.mul(-x["dC"], whole)))}


OPERATORS = {of.__name__: of for of in (gemm_relu, matmul_bias_gelu, scaled_attention, conv_relu,
                                        mod)}


def draw(rng, name, kind):
    grid = lambda *shape: fleet.store(kind, rng.normal(size=shape))  # noqa: E731
    rows, depth, columns, width = (int(n) for n in rng.integers(1, 6, 4))
    if name == "scaled_attention":
        return {"Q": grid(rows, depth), "K": grid(depth, columns), "V": grid(columns, width),
                "scale": fleet.store(kind, rng.choice((0.3, 0.5, 1))), "dY": grid(rows, width)}, {}
    if name == "conv_relu":
        places = Places(rng, 2)
        batch, channels, maps = (int(n) for n in rng.integers(1, 3, 3))
        return {"X": grid(batch, channels, *places.sizes), "W": grid(maps, channels,
                                                                    *places.kernel),
                "B": grid(maps), "dY": grid(batch, maps, *places.places)}, dict(
                    places.attributes), places
    if name == "mod":
        return {"A": fleet.store(kind, 8 * grid(rows, columns)), "B": grid(columns),
                "dC": grid(rows, columns)}, {"fmod": int(rng.integers(0, 2))}
    return {"A": grid(rows, depth), "B": grid(depth, columns), "C": grid(columns),
            "dY": grid(rows, columns)}, {"alpha": 0.7, "beta": 0.3} if "gemm" in name else {}


def made(way, name, case):
    x, attributes, *places = case
    return OPERATORS[name](way, x, (attributes, *places) if places else attributes)


def main():
    print(f"# seed {SEED}")
    for number, name in enumerate(OPERATORS):
        hold(number, name, KINDS, draw, made)
    finish()


main()
