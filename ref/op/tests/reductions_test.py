# SPDX-License-Identifier: Apache-2.0
"""The reductions that assay declares, indices of extremes, and what is divided by a norm, against
a second model over exact fractions. ASSAY_SEED repeats a run."""

import math
import sys
from fractions import Fraction as F

sys.path.insert(0, "harness/tests")
sys.path.insert(0, "ref/op/tests")
import declared_model as m  # noqa: E402
from operators_test import (  # noqa: E402
    FLOATS,
    FULL,
    SEED,
    against_model,
    inner,
    reduction,
    rows_of,
    tensor,
    to,
)
from tap import finish  # noqa: E402


def reduced(fold, least=0):
    return lambda rng, kind, name: reduction(rng, kind, name, fold, least)


def along(formula, key, output, of, step=0):
    """Rows along an axis: formula(attributes, kind, row) gives what stands in its place, all of it
    or one element. With `step` elements are its multiples, so that some are equal."""
    def make(rng, _, name):
        kind = rng.choice(FLOATS)
        shape = [rng.randint(1, 3), rng.randint(1, 5), rng.randint(1, 3)]
        axis = rng.randint(-3, 2)
        count = math.prod(shape)
        values = [F(rng.randint(-8, 8), 8) * (step or rng.choice((1, F(1, 64)))) for _ in
                  range(count)]
        attributes = {"axis": axis, **of(rng)}
        n = shape[axis]
        a = axis % 3
        outer, inside = math.prod(shape[:a]), math.prod(shape[a + 1:])
        whole, indices = [None] * count, []
        for places, row in rows_of(values, outer, n, inside):
            found = formula(attributes, kind, row)
            if isinstance(found, list):
                for p, y in zip(places, found):
                    whole[p] = y
            else:
                indices.append(F(found))
        request = {"op": f"onnx.{name}", "attributes": attributes,
                   "inputs": {key: tensor(kind, shape, values)}}
        if not indices:
            return request, {output: (kind, shape, whole)}
        kept = [1] if attributes["keepdims"] else []
        return request, {output: ("i64", shape[:a] + kept + shape[a + 1:], indices)}
    return make


def place(extreme):
    def of(attributes, _, row):
        best = extreme(row)
        if attributes["select_last_index"]:
            return len(row) - 1 - row[::-1].index(best)
        return row.index(best)
    return along(of, "data", "reduced", lambda rng: {
        "keepdims": rng.randrange(2), "select_last_index": rng.randrange(2)}, step=2)


def hard(_, __, row):
    return [F(i == row.index(max(row))) for i in range(len(row))]


def divided(attributes, kind, row):
    if attributes["p"] == 1:
        norm = sum(map(abs, row))
    else:
        norm = m.root(sum(x * x for x in row))
    norm = to(inner(kind), norm)
    return [x / norm if norm else F(0) for x in row]


def log_sum_exp(row):
    return m.UNARY["log"](sum(m.UNARY["exp"](x) for x in row))


OPERATORS = {
    "reduce_max": reduced(max, 1), "reduce_min": reduced(min, 1),
    "reduce_mean": reduced(lambda x: sum(x) / len(x), 1), "reduce_prod": reduced(math.prod),
    "reduce_l1": reduced(lambda x: sum(map(abs, x))),
    "reduce_l2": reduced(lambda x: m.root(sum((v * v for v in x), F(0)))),
    "reduce_sum_square": reduced(lambda x: sum(v * v for v in x)),
    "reduce_log_sum": reduced(lambda x: m.UNARY["log"](sum(x)), 1),
    "reduce_log_sum_exp": reduced(log_sum_exp, 1),
    "arg_max": place(max), "arg_min": place(min),
    "hardmax": along(hard, "input", "output", lambda rng: {}, step=2),
    "lp_normalization": along(divided, "input", "output", lambda rng: {"p": rng.randint(1, 2)}),
}


def main():
    print(f"# seed {SEED}")
    for name in OPERATORS:
        against_model(SEED, name, 300 if FULL else 20, OPERATORS)
    finish()


main()
