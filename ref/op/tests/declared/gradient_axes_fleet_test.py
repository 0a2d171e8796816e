# SPDX-License-Identifier: Apache-2.0
"""Conforming gradients of reductions, normalization and activations, drawn anew each time: closed
forms, moments, the reverse of each step, sums in many orders. None is accused, and an answer off by
a thousandth is seen. ASSAY_SEED repeats a run."""

import sys

import numpy as np

sys.path.insert(0, "harness/tests")
sys.path.insert(0, "ref/op/tests/declared")
import fleet  # noqa: E402
from gradient_fleet_test import SEED, hold  # noqa: E402
from tap import finish  # noqa: E402

KINDS = ("f16", "f32", "f64")
FIRST = ("group_normalization", "layer_normalization", "rms_normalization")


def counted(way, g, part, inverse):
    """n g without the sum of g and its part along x, by 1 / n at last."""
    n = g.shape[-1]
    left = way.add(way.add(way.mul(n, g), -way.sum_last(g)), -part)
    return way.mul(left, way.mul(way.div(1.0, n), inverse))


def normal(way, g, x, epsilon):
    """Of (x - mean) / sqrt(variance + epsilon) over the last axis: dx, and what dscale sums."""
    n = x.shape[-1]
    mean, variance = fleet.moments(way, x)
    inverse = fleet.inverse(way, way.add(variance, epsilon))
    d = way.add(x, -mean)
    how = way.pick("closed", "normalized", "shifted", "moments", "steps", "count", "variance")
    if how == "moments":
        a, b = way.sum_last(way.mul(g, x)), way.sum_last(g)
        cube = way.mul(way.mul(inverse, inverse), inverse)
        c = way.div(way.mul(way.add(way.mul(b, mean), -a), cube), n)
        e = way.add(way.mul(-c, mean), -way.div(way.mul(b, inverse), n))
        return way.add(way.add(way.mul(g, inverse), way.mul(x, c)), e), way.mul(
            way.add(a, -way.mul(b, mean)), inverse)
    part = fleet.mean_of(way, way.mul(g, d))
    dscale = way.mul(way.sum_last(way.mul(g, d)), inverse)
    if how == "closed":
        k = way.mul(part, way.mul(inverse, inverse))
        dx = way.mul(way.add(way.add(g, -fleet.mean_of(way, g)), -way.mul(d, k)), inverse)
    elif how in ("normalized", "shifted", "count"):
        z = way.mul(d, inverse) if how != "shifted" else way.fma(
            x, inverse, -way.mul(mean, inverse))
        dscale = way.sum_last(way.mul(g, z))
        dx = counted(way, g, way.mul(z, dscale), inverse) if how == "count" else way.mul(
            way.add(way.add(g, -fleet.mean_of(way, g)), -way.mul(
                z, fleet.mean_of(way, way.mul(g, z)))), inverse)
    elif how == "variance":
        k = way.div(way.sum_last(way.mul(g, d)), way.add(variance, epsilon))
        dx = counted(way, g, way.mul(d, k), inverse)
    else:  # the variance's, then the mean's
        cube = way.mul(way.mul(inverse, inverse), inverse)
        of_variance = way.mul(way.sum_last(way.mul(g, d)), way.mul(-0.5, cube))
        of_mean = way.mul(way.sum_last(way.mul(g, inverse)), -1.0)
        dx = way.add(way.add(way.mul(g, inverse), way.mul(way.div(of_variance, n), 2 * d)),
                     way.div(of_mean, n))
    return dx, dscale


def batch_normalization(way, x, of):
    """Rows are channels."""
    turned = {key: x[key].T for key in ("X", "dY")}
    dx, dscale = normal(way, turned["dY"], turned["X"], 0.125)
    return {"dX": way.mul(dx, x["scale"][:, None]).T, "dscale": dscale[:, 0],
            "dB": way.sum_last(turned["dY"])[:, 0]}


def instance_normalization(way, x, of):
    if way.pick("scale first", "scale last") == "first":
        g = way.mul(x["doutput"], x["scale"][:, None])
        return {"dinput": normal(way, g, x["input"], 0.125)[0]}
    dx, dscale = normal(way, x["doutput"], x["input"], 0.125)
    return {"dinput": way.mul(dx, x["scale"][:, None]),
            "dscale": way.sum(dscale[..., 0])}


def group_normalization(way, x, of):
    """One group: a scale for each channel."""
    shape = x["X"].shape
    g = way.mul(x["dY"], x["scale"][:, None]).reshape(shape[0], -1)
    return {"dX": normal(way, g, x["X"].reshape(shape[0], -1), 0.125)[0].reshape(shape)}


def layer_normalization(way, x, of):
    """A scale for each element: what dscale sums is made of each row's own moments."""
    g, epsilon = way.mul(x["dY"], x["Scale"]), np.float64(np.float32(of["epsilon"]))
    dx = normal(way, g, x["X"], epsilon)[0]
    mean, variance = fleet.moments(way, x["X"])
    inverse = fleet.inverse(way, way.add(variance, epsilon))
    d = way.add(x["X"], -mean)
    how = way.pick("normalized", "shifted", "last")
    terms = way.mul(way.mul(x["dY"], d), inverse) if how == "last" else way.mul(
        x["dY"], way.mul(d, inverse) if how == "normalized" else way.fma(
            x["X"], inverse, -way.mul(mean, inverse)))
    return {"dX": dx, "dScale": way.sum(terms), "dB": way.sum(x["dY"])}


def rms_normalization(way, x, of):
    x, scale, dy = x["X"], x["scale"], x["dY"]
    n, g = x.shape[-1], way.mul(dy, scale)
    square = way.add(fleet.mean_of(way, way.mul(x, x)), np.float64(np.float32(of["epsilon"])))
    inverse = fleet.inverse(way, square)
    z = way.mul(x, inverse)
    how = way.pick("normalized", "count", "cube", "quotient")
    if how == "normalized":
        dx = way.mul(way.add(g, -way.mul(z, fleet.mean_of(way, way.mul(g, z)))), inverse)
    elif how == "count":
        left = way.add(way.mul(n, g), -way.mul(z, way.sum_last(way.mul(g, z))))
        dx = way.mul(left, way.mul(way.div(1.0, n), inverse))
    elif how == "cube":
        k = way.mul(fleet.mean_of(way, way.mul(g, x)), way.mul(way.mul(inverse, inverse), inverse))
        dx = way.add(way.mul(g, inverse), -way.mul(x, k))
    else:
        z = way.div(x, way.round(np.sqrt(square)))
        k = way.div(fleet.mean_of(way, way.mul(g, x)), square)
        dx = way.mul(way.add(g, -way.mul(x, k)), inverse)
    terms = way.mul(way.mul(dy, x), inverse) if way.pick("last", "normalized") == "last" else (
        way.mul(dy, z))
    return {"dX": dx, "dscale": way.sum(terms)}


def lp_normalization(way, x, of):
    g, x, p = x["doutput"], x["input"], of["p"]
    norm = way.sum_last(np.abs(x)) if p == 1 else way.round(np.sqrt(way.sum_last(way.mul(x, x))))
    slope = np.sign(x) if p == 1 else way.div(x, norm)
    how = way.pick("closed", "steps")
    if how == "closed":
        return {"dinput": way.div(way.add(g, -way.mul(slope, way.sum_last(way.mul(
            g, way.div(x, norm))))), norm)}
    of_norm = -way.sum_last(way.mul(g, way.div(way.div(x, norm), norm)))
    return {"dinput": way.add(way.div(g, norm), way.mul(of_norm, slope))}


def reduce_l2(way, x, of):
    g, x = x["dreduced"], x["data"]
    norm = way.round(np.sqrt(way.sum_last(way.mul(x, x))))
    how = way.pick("unit", "quotient", "slope")
    if how == "unit":
        return {"ddata": way.mul(g, way.div(x, norm))}
    if how == "quotient":
        return {"ddata": way.mul(x, way.div(g, norm))}
    return {"ddata": way.mul(way.mul(g, way.div(1.0, 2 * norm)), 2 * x)}


def reduce_log_sum_exp(way, x, of):
    g, x = x["dreduced"], x["data"]
    e, m, s = fleet.exponentials(way, x)
    if way.pick("quotient", "stored") == "quotient":
        return {"ddata": way.mul(g, fleet.quotient(way, e, s))}
    result = fleet.store(way.kind, way.add(m, way.function("log", s)))
    return {"ddata": way.mul(g, way.function("exp", way.add(x, -result)))}


def reduce_prod(way, x, of):
    g, x = x["dreduced"], x["data"]
    if way.pick("quotient", "others") == "quotient":
        product = x[..., :1]
        for i in range(1, x.shape[-1]):
            product = way.mul(product, x[..., i:i + 1])
        return {"ddata": way.div(way.mul(g, product), x)}
    out = np.zeros_like(x)
    for i in range(x.shape[-1]):
        product = g[..., 0]
        for j in range(x.shape[-1]):
            product = way.mul(product, x[..., j]) if j != i else product
        out[..., i] = product
    return {"ddata": out}


def swiglu(way, x, of):
    a, b, g = x["A"], x["B"], x["dY"]
    s = way.function("logistic", a)
    up = way.mul(g, b)
    how = way.pick("factored", "stored", "product")
    if how == "factored":
        slope = way.mul(s, way.add(1.0, way.mul(a, way.function("logistic", -a))))
        da = way.mul(up, slope)
    elif how == "stored":
        da = way.mul(up, way.mul(s, way.add(1.0, way.mul(a, way.add(1.0, -s)))))
    else:
        da = way.add(way.mul(up, s), way.mul(way.mul(up, a), way.mul(s, way.add(1.0, -s))))
    return {"dA": da, "dB": way.mul(g, way.mul(a, s))}


def draw(rng, name, kind):
    """Inputs and attributes."""
    grid = lambda *shape: fleet.store(kind, rng.normal(size=shape))  # noqa: E731
    n, rows = int(rng.integers(2, 9)), int(rng.integers(1, 4))
    offset = rng.choice((0, 1, 10))
    far = lambda *shape: fleet.store(kind, grid(*shape) + offset)  # noqa: E731
    if name == "batch_normalization":
        return {"X": far(n, rows), "scale": grid(rows), "B": grid(rows), "input_mean": grid(rows),
                "input_var": np.ones(rows), "dY": grid(n, rows)}, {
                    "training_mode": 1, "epsilon": 0.125}
    if name == "instance_normalization":
        return {"input": far(2, rows, n), "scale": grid(rows), "B": grid(rows),
                "doutput": grid(2, rows, n)}, {"epsilon": 0.125}
    if name == "group_normalization":
        return {"X": far(2, rows, n), "scale": grid(rows), "bias": grid(rows),
                "dY": grid(2, rows, n)}, {"epsilon": 0.125, "num_groups": 1}
    if name == "layer_normalization":
        return {"X": far(rows, n), "Scale": grid(n), "B": grid(n),
                "dY": grid(rows, n)}, {"epsilon": float(rng.choice((1e-5, 0.125)))}
    if name == "rms_normalization":
        return {"X": grid(rows, n), "scale": grid(n), "dY": grid(rows, n)}, {
            "epsilon": float(rng.choice((1e-5, 0.125)))}
    if name == "lp_normalization":
        return {"input": grid(rows, n), "doutput": grid(rows, n)}, {"p": int(rng.integers(1, 3))}
    if name == "swiglu":
        return {"A": grid(n), "B": grid(n), "dY": grid(n)}, {}
    return {"data": grid(rows, n), "dreduced": grid(rows, 1),
            "axes": {"dtype": "i64", "shape": [1], "data": [1]}}, {}


OPERATORS = {of.__name__: of for of in (
    batch_normalization, instance_normalization, group_normalization, layer_normalization,
    rms_normalization, lp_normalization, reduce_l2, reduce_log_sum_exp, reduce_prod, swiglu)}


def main():
    print(f"# seed {SEED}")
    for number, name in enumerate(OPERATORS):
        # The first stage of these computes in f32.
        kinds = KINDS[:-1] if name in FIRST else KINDS
        hold(number, name, kinds, draw, lambda way, name, case: OPERATORS[name](way, *case))
    finish()


if __name__ == "__main__":
    main()
