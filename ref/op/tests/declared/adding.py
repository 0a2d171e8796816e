# SPDX-License-Identifier: Apache-2.0
"""A process target whose sums are added up in a way that its argument names: rounded to nearest in
many orders and blocks, or cut off. Products, sums and attention in f32, bf16 and f16, with
accumulators of f32, and in f64, with those of f64; numbers between two roundings are of 64 bits or
more there."""

import sys

import numpy as np
from assay.target import Target, Unsupported

from orders import blocks, chain, cut, lanes, pairs, shuffled

WIDE = np.longdouble


def nearest(x, digits):
    kept = x.astype(np.float32 if digits == 24 else np.float64)
    return kept.astype(x.dtype)


def compensated(terms, add):
    """Kahan's sum."""
    s, rest = (np.zeros(terms.shape[1:], terms.dtype) for _ in range(2))
    for t in terms:
        y = add(t, -rest)
        total = add(s, y)
        rest = add(add(total, -s), -y)
        s = total
    return s


ORDERS = {
    "chain": chain,
    "reversed": lambda t, add: chain(t[::-1], add),
    "pairs": pairs,
    "blocks": lambda t, add: blocks(t, add, 16),
    "lanes": lambda t, add: lanes(t, add, 8),
    "compensated": compensated,
    "shuffled": lambda t, add: shuffled(t, add, 5),
    "wide": lambda t, add: t.sum(0),
}


class Adding(Target):
    version = "1"
    operations = ["onnx.mat_mul", "onnx.gemm", "onnx.reduce_sum", "onnx.cum_sum",
                  "onnx.attention"]

    def __init__(self, order, rounding):
        self.name = f"adds-{order}-{rounding}"
        self.order = ORDERS[order]
        self.digits, how = 24, {"nearest": nearest, "cut": cut}[rounding]
        self.add = lambda a, b: how(a + b, self.digits)
        self.store = (lambda x: how(x, self.digits)) if order == "wide" else (lambda x: x)

    def supports(self, request):
        kind = next(iter(request.dtypes.values()))
        if kind not in ("f16", "bf16", "f32", "f64"):
            raise Unsupported("these sums are of floats")
        if kind == "f64" and np.finfo(WIDE).nmant < 63:
            raise Unsupported("sums of f64 are cut off in 64 bits, which NumPy has not here")

    def total(self, terms):
        """Over axis 0."""
        if not len(terms):
            return np.zeros(terms.shape[1:], terms.dtype)
        return self.store(self.order(terms, self.add))

    def product(self, a, b):
        return self.total(np.moveaxis(a[..., :, :, None] * b[..., None, :, :], -2, 0))

    def run(self, request):
        x = list(request.inputs.values())
        kind = x[0].dtype
        self.digits = 53 if kind == np.float64 else 24
        x = [np.asarray(v, WIDE if self.digits == 53 else np.float64) for v in x]
        of = request.attributes
        name = request.op.split(".")[1]
        if name == "mat_mul":
            y = self.product(*x)
        elif name == "gemm":
            y = self.product(x[0], x[1])
            y = self.add(y, x[2]) if len(x) > 2 else y
        elif name == "reduce_sum":
            y = self.total(np.moveaxis(x[0], int(x[1][0]), 0))
            y = np.expand_dims(y, int(x[1][0])) if of.get("keepdims", 1) else y
        elif name == "cum_sum":
            y = np.stack([self.total(np.moveaxis(x[0], 1, 0)[:k + 1])
                          for k in range(x[0].shape[1])], 1)
        else:  # all logits are 0
            weights = np.full((*x[0].shape[:-1], x[1].shape[-2]), 1 / x[1].shape[-2], x[2].dtype)
            y = self.product(weights, x[2])
        return y.astype(kind)


Adding(*sys.argv[1:]).serve()
