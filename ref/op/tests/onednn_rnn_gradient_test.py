# SPDX-License-Identifier: Apache-2.0
"""Gradients are derivatives: the backward equations, without rounding, against dual numbers and
finite differences.

onednn_rnn_nodes_test.py shows that the reference computes exactly the equations of the model; here
the same model, in 60 digits and without rounding, has its backward pass held against the derivative
of its forward pass along random directions.
"""

import decimal
import itertools
import random
import sys

sys.path.insert(0, "harness/tests")
from tap import finish, report  # noqa: E402

from onednn_rnn_model import GATES, Model, Tensor
from onednn_rnn_numbers import Digits, Dual, Duals
from onednn_rnn_request import Request

DIRECTIONS = ["left2right", "right2left", "bidirectional_concat", "bidirectional_sum"]
STEP = decimal.Decimal("1e-15")
TARGETS = {
    "dst_layer": "diff_dst_layer",
    "dst_iter": "diff_dst_iter",
    "dst_iter_c": "diff_dst_iter_c",
}


def objective(request, inputs, arithmetic):
    """The sum of every forward output times what diff_dst_* says."""
    outputs = Model(request.attributes, inputs, request.types, arithmetic).forward()
    total = arithmetic.number(0)
    for output, weight in TARGETS.items():
        if output in outputs and weight in request.inputs:
            for value, k in zip(outputs[output].data, request.inputs[weight].data):
                total = total + value * Digits.number(k)
    return total


def disagreement(request, rng):
    inputs = {
        name: Tensor(t.shape, [Digits.number(k) for k in t.data])
        for name, t in request.inputs.items()
        if name.startswith("diff_dst") or not name.startswith("diff_")
    }
    gradient = Model(request.attributes, inputs, request.types, Digits).run()
    for name in [n for n in inputs if not n.startswith("diff_")]:
        direction = [decimal.Decimal(rng.randint(-1000, 1000)) / 1000 for _ in inputs[name].data]
        analytic = sum(g * v for g, v in zip(gradient["diff_" + name].data, direction))

        def moved(step):
            data = [k + step * v for k, v in zip(inputs[name].data, direction)]
            return objective(
                request, dict(inputs, **{name: Tensor(inputs[name].shape, data)}), Digits
            )

        finite = (moved(STEP) - moved(-STEP)) / (2 * STEP)
        duals = {
            n: Tensor(
                t.shape,
                [
                    Dual(k, v if n == name else decimal.Decimal(0))
                    for k, v in zip(t.data, direction if n == name else t.data)
                ],
            )
            for n, t in inputs.items()
        }
        slope = objective(request, duals, Duals).slope
        scale = max(
            sum(abs(g * v) for g, v in zip(gradient["diff_" + name].data, direction)),
            decimal.Decimal("1e-20"),
        )
        for kind, value, limit in (
            ("finite differences", finite, "1e-12"),
            ("dual numbers", slope, "1e-35"),
        ):
            if abs(analytic - value) > decimal.Decimal(limit) * scale:
                return (
                    f"{request.attributes}: diff_{name} along a direction "
                    f"is {analytic:.20g}, by {kind} {value:.20g}"
                )
    return None


def small(rng, cell, direction, **options):
    sizes = {"L": 2, "T": 2, "N": 1, "SLC": 2, "DHC": 2}
    return Request(rng, cell, direction, "backward", "f32", **{**sizes, **options})


def each_alone(rng):
    """Every activation, projection and peephole with and without each other, and every optional
    tensor alone."""
    for activation, direction in itertools.product(("relu", "tanh", "logistic"), DIRECTIONS):
        request = small(rng, "vanilla_rnn", direction, activation=activation)
        report(f"vanilla_rnn with {activation}, {direction}", disagreement(request, rng))
    for projection, peephole, direction in itertools.product(
        (False, True), (False, True), DIRECTIONS
    ):
        request = small(
            rng,
            "lstm",
            direction,
            DIC=1,
            projection=projection,
            peephole=peephole,
            optional=lambda: True,
        )
        report(
            f"lstm, {direction}{', projection' * projection}{', peephole' * peephole}",
            disagreement(request, rng),
        )
    for cell in GATES:
        failure = None
        for alone in itertools.count():
            calls = itertools.count()
            request = small(
                rng,
                cell,
                "bidirectional_concat",
                L=1,
                peephole=False,
                optional=lambda: next(calls) == alone,
            )  # pylint: disable=cell-var-from-loop
            if next(calls) <= alone:
                break
            failure = failure or disagreement(request, rng)
        report(f"{cell}, each optional tensor alone", failure)


def main():
    rng = random.Random(5)
    for cell, L in itertools.product(GATES, (1, 2, 3)):
        failure = None
        for direction, optional in itertools.product(DIRECTIONS, (False, True)):
            request = small(
                rng,
                cell,
                direction,
                L=L,
                N=2,
                optional=lambda: optional,
                peephole=optional,  # pylint: disable=cell-var-from-loop
                projection=cell == "lstm" and rng.random() < 0.5,
                activation=rng.choice(["relu", "tanh", "logistic"]),
            )
            failure = failure or disagreement(request, rng)
        report(
            f"{cell}, {L} layers, every direction, with and without the optional tensors", failure
        )
    each_alone(rng)
    finish()


main()
