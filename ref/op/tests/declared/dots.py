# SPDX-License-Identifier: Apache-2.0
"""A process target whose dot_general is computed by the algorithm that a request names, its terms
added in an order that is named, operands rounded or cut off into components, products fused or
rounded; with a mistake where one is named. usage: dots.py ORDER SPLIT PRODUCTS [MISTAKE]"""

import sys

import ml_dtypes
import numpy as np
from assay.target import Target, Unsupported

from orders import blocks, chain, cut, lanes, near, pairs, shuffled

SIX = [(0, 0), (0, 1), (1, 0), (1, 1), (0, 2), (2, 0)]
# Bits of a component, how many of both operands are multiplied, bits of the accumulator.
ALGORITHMS = {
    "any_f8_any_f8_f32": (24, SIX[:1], 24), "any_f8_any_f8_f32_fast_accum": (24, SIX[:1], 14),
    "f16_f16_f16": (11, SIX[:1], 11), "f16_f16_f32": (11, SIX[:1], 24),
    "bf16_bf16_bf16": (8, SIX[:1], 8), "bf16_bf16_f32": (8, SIX[:1], 24),
    "bf16_bf16_f32_x3": (8, SIX[:3], 24), "bf16_bf16_f32_x6": (8, SIX, 24),
    "bf16_bf16_f32_x9": (8, SIX + [(1, 2), (2, 1), (2, 2)], 24),
    "tf32_tf32_f32": (11, SIX[:1], 24), "tf32_tf32_f32_x3": (11, SIX[:3], 24),
    "f32_f32_f32": (24, SIX[:1], 24), "f64_f64_f64": (53, SIX[:1], 53),
}
WIDE = np.longdouble
TYPES = {"f16": np.float16, "bf16": ml_dtypes.bfloat16, "f32": np.float32, "f64": np.float64}
NARROWER = {53: 24, 24: 11, 14: 11, 11: 8, 8: 4}
ORDERS = {
    "chain": chain, "pairs": pairs,
    "blocks": lambda terms, add: blocks(terms, add, 5),
    "reversed": lambda terms, add: chain(terms[::-1], add),
    "shuffled": lambda terms, add: shuffled(terms, add, len(terms)),
    "lanes": lambda terms, add: lanes(terms, add, 4),
}


class Dots(Target):
    version = "1"
    operations = ["stablehlo.dot_general"]

    def __init__(self, order, split, products, mistake=""):
        self.name = f"dots-{order}-{split}-{products}{mistake and '-' + mistake}"
        self.order, self.split = ORDERS[order], {"cut": cut, "near": near}[split]
        self.products, self.mistake, self.tf32 = products, mistake, False

    def supports(self, request):
        if "algorithm" not in request.attributes:
            raise Unsupported("no algorithm is named")
        if request.attributes["algorithm"] == "f64_f64_f64" and np.finfo(WIDE).nmant < 63:
            raise Unsupported("sums of f64 are cut off in 64 bits, which NumPy has not here")

    def components(self, x, bits, count):
        """tf32 may be cut off; what is one component otherwise is rounded."""
        split = self.split if count > 1 or bits == 11 and self.tf32 else near
        parts = []
        for _ in range(count):
            parts.append(split(x, bits))
            x = x - parts[-1]
        return parts

    def terms(self, a, b, algorithm):
        bits, kept, adds = ALGORITHMS[algorithm]
        self.tf32 = algorithm.startswith("tf32")
        if self.mistake == "operands":
            bits = NARROWER[bits]
        if self.mistake.startswith("part"):
            kept = [p for p in kept if p != tuple(map(int, self.mistake[4:]))]
        count = 1 + max((max(p) for p in kept), default=0)
        left, right = self.components(a, bits, count), self.components(b, bits, count)
        out = [left[i] * right[j] for i, j in kept]
        out = np.concatenate(out)
        return near(out, adds) if self.products == "rounded" else out

    def run(self, request):
        of = request.attributes
        algorithm, lhs, rhs = of["algorithm"], request.inputs["lhs"], request.inputs["rhs"]
        lhs, rhs = (np.asarray(x, WIDE if algorithm == "f64_f64_f64" else np.float64)
                    for x in (lhs, rhs))
        axes = [of.get(f"{side}_contracting_dimensions", []) for side in ("lhs", "rhs")]
        a = np.moveaxis(lhs, axes[0], range(len(axes[0])))
        b = np.moveaxis(rhs, axes[1], range(len(axes[1])))
        depth = int(np.prod(a.shape[:len(axes[0])], dtype=int))
        a = a.reshape(depth, *a.shape[len(axes[0]):], *(1,) * (b.ndim - len(axes[1])))
        b = b.reshape(depth, *(1,) * (lhs.ndim - len(axes[0])), *b.shape[len(axes[1]):])
        adds = ALGORITHMS[algorithm][2]
        adds = NARROWER[adds] if self.mistake == "accumulator" else adds
        how = cut if adds == 14 or self.mistake == "truncated" else near
        full = np.broadcast_shapes(a.shape, b.shape)
        terms = self.terms(np.broadcast_to(a, full), np.broadcast_to(b, full), algorithm)
        y = self.order(terms, lambda x, y: how(x + y, adds))
        return {"result": y.astype(TYPES[of.get("result_type", request.dtypes["lhs"])])}



Dots(*sys.argv[1:]).serve()
