# SPDX-License-Identifier: Apache-2.0
"""Conforming implementations of fifteen operators, drawn anew each time, in f16, bf16, f32 and
f64: none is accused. ASSAY_FULL asks for 1,000 verdicts of each operator and type, and more;
ASSAY_SEED repeats a run, ASSAY_OPERATORS names operators. An answer off by a thousandth is seen."""

import collections
import os
import secrets
import sys

import numpy as np

sys.path.insert(0, "harness/tests")
sys.path.insert(0, "ref/op/tests/declared")
import fleet  # noqa: E402
from ask import evaluate, tensor  # noqa: E402
from tap import check, finish  # noqa: E402

FULL = os.environ.get("ASSAY_FULL") == "1"
SEED = int(os.environ.get("ASSAY_SEED", secrets.randbits(32)))
NAMES = os.environ.get("ASSAY_OPERATORS", ",".join(fleet.OPERATORS)).split(",")
KINDS = ("f16", "bf16", "f32", "f64")
EACH, TOGETHER = 5, 20  # implementations of a request, requests of a process


def grid(rng, kind, *shape, scale=1.0, offset=0.0):
    return fleet.store(kind, rng.normal(size=shape) * scale + offset)


def draw(rng, name, kind):
    """Inputs and attributes."""
    n = int(rng.choice((1, 2, 3, 4, 7, 8, 9, 16, 17, 33, 64)))
    rows, scale = int(rng.integers(1, 4)), 10.0 ** rng.uniform(-1, 1)
    if name == "scaled_attention":
        keys = int(rng.choice((1, 2, 5, 8, 17, 40)))
        return {"Q": grid(rng, kind, rows, n), "K": grid(rng, kind, n, keys),
                "V": grid(rng, kind, keys, 3), "scale": grid(rng, kind, scale=n ** -0.5)}, {}
    if name in ("mat_mul", "gemm", "gemm_relu", "matmul_bias_gelu"):
        m = int(rng.integers(1, 5))
        x = {"A": grid(rng, kind, rows, n), "B": grid(rng, kind, n, m)}
        if name == "mat_mul":
            return x, {}
        x["C"] = grid(rng, kind, m, scale=scale)
        if name == "matmul_bias_gelu":
            return x, {"approximate": str(rng.choice(("none", "tanh")))}
        return x, {"alpha": float(rng.choice((1, 1, 0.5, 0.7, -1.3))),
                   "beta": float(rng.choice((1, 1, 2, 0.3)))}
    if name == "reduce_sum":
        return {"data": grid(rng, kind, rows, n, offset=rng.choice((0, 1)))}, {}
    if name == "cum_sum":
        return {"x": grid(rng, kind, rows, n, offset=rng.choice((0, 1)))}, {}
    if name in ("softmax", "log_softmax"):
        x = grid(rng, kind, rows, n, scale=scale, offset=rng.normal() * scale)
        if rng.random() < 0.1:
            x[:] = x[0, 0]
        return {"input": x}, {}
    if name == "attention":
        keys, depth = int(rng.choice((1, 2, 5, 8, 17, 40))), int(rng.choice((1, 2, 4, 8, 16)))
        return {"Q": grid(rng, kind, 1, 2, rows, depth), "K": grid(rng, kind, 1, 2, keys, depth),
                "V": grid(rng, kind, 1, 2, keys, 3)}, {"opset": 23}
    if name == "layer_normalization":
        offset = rng.choice((0, 1, 30, 1000 if kind in ("f32", "f64") else 10))
        return {"X": grid(rng, kind, rows, n, scale=scale, offset=offset * scale),
                "Scale": grid(rng, kind, n), "B": grid(rng, kind, n)}, {"epsilon": 1e-5}
    if name == "rms_normalization":
        return {"X": grid(rng, kind, rows, n, scale=scale), "scale": grid(rng, kind, n)}, {
            "epsilon": float(rng.choice((1e-5, 1e-5, 3.0)))}
    x = {"X": grid(rng, kind, rows, n, scale=scale)}
    if name == "gelu":
        return x, {"approximate": str(rng.choice(("none", "tanh")))}
    if name == "hard_sigmoid":
        return x, {"alpha": 0.2, "beta": 0.5}
    return x, {}


def request_of(name, kind, x, attributes):
    inputs = {k: tensor(kind, v) for k, v in x.items()}
    if name == "reduce_sum":
        inputs["axes"] = {"dtype": "i64", "shape": [1], "data": [-1]}
    if name == "cum_sum":
        inputs["axis"] = {"dtype": "i64", "shape": [], "data": [-1]}
    asked = {"op": f"onnx.{name}", "inputs": inputs, "attributes": attributes}
    if name in ("attention", "layer_normalization"):
        asked["outputs"] = ["Y"]
    return asked


def numbers(kind, words):
    bits = np.array([int(w, 16) for w in words], np.uint64)
    if kind == "bf16":
        return (bits.astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    size = {"f16": (np.uint16, np.float16), "f32": (np.uint32, np.float32),
            "f64": (np.uint64, np.float64)}[kind]
    return bits.astype(size[0]).view(size[1]).astype(np.float64)


def judge(rng, name, kind, asked, x, of, counts, wrong):
    """The verdicts of EACH implementations about one request, and of one that is wrong."""
    y = asked["outputs"]
    y = y[next(iter(y))]
    golden, low, high = (numbers(kind, y[k]) for k in ("bits", "lower", "upper"))
    known = np.isfinite(low) & np.isfinite(high)
    counts["elements"] += golden.size
    counts["vacuous"] += int(np.sum(~known))
    if not np.all((golden >= low) & (golden <= high)):
        wrong.append(f"seed {SEED}: {name} {kind}: the golden value lies outside")
    for _ in range(EACH):
        way = fleet.Way(rng, kind)
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
            got = fleet.store(kind, fleet.OPERATORS[name](way, x, of)).ravel()
        good = ((got >= low) & (got <= high)) | ~known
        counts["verdicts"] += 1
        if not good.all():
            i = int(np.argmin(good))
            shapes = {k: v.shape for k, v in x.items()}
            wrong.append(f"seed {SEED}: {name} {kind} {way.named} {way.work} {way.order} {of} "
                         f"{shapes}: element {i}: {got[i]!r} of [{low[i]!r}, {high[i]!r}], "
                         f"{(got[i] - golden[i]) / max(high[i] - low[i], 1e-300):.2f} widths")
    if golden.size > 2 and kind in ("f32", "f64"):
        off = fleet.store(kind, golden * 1.001)
        counts["shifted"] += 1
        counts["seen"] += not np.all(((off >= low) & (off <= high)) | ~known)


def fleet_of(name, kind, total):
    rng = np.random.default_rng([SEED, list(fleet.OPERATORS).index(name), KINDS.index(kind)])
    counts, wrong = collections.Counter(), []
    while counts["verdicts"] < total and len(wrong) < 5:
        drawn = [draw(rng, name, kind) for _ in range(min(TOGETHER, -(-total // EACH)))]
        answers, stderr = evaluate([request_of(name, kind, *d) for d in drawn],
                                   options=["--bounds"])
        if len(answers) != len(drawn):
            return counts, [stderr[:300]]
        for asked, (x, of) in zip(answers, drawn):
            if "outputs" not in asked:
                return counts, [f"{name} {kind}: {asked} {of}"]
            judge(rng, name, kind, asked, x, of, counts, wrong)
    return counts, wrong


def main():
    print(f"# seed {SEED}")
    total = 1000 if FULL else 15
    wrong, sums, fewest = [], collections.Counter(), total
    for name in NAMES:
        line = []
        for kind in KINDS:
            counts, found = fleet_of(name, kind, total)
            wrong += found
            sums += counts
            fewest = min(fewest, counts["verdicts"])
            line.append(f"{kind} {counts['verdicts']}, {len(found)} outside, "
                        f"{100 * counts['vacuous'] / max(counts['elements'], 1):.1f} % vacuous")
        print(f"# {name}: {'; '.join(line)}")
    check(not wrong and fewest >= total,
          f"{sums['verdicts']} conforming implementations of {len(NAMES)} operators, at least "
          f"{fewest} of each operator and type, are not accused", wrong[:30])
    check(sums["seen"] > 0.7 * sums["shifted"],
          f"{sums['seen']} of {sums['shifted']} answers off by a thousandth are seen")
    finish()


main()
