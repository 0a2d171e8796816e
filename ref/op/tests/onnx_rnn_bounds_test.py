# SPDX-License-Identifier: Apache-2.0
"""Bounds of onnx.rnn, onnx.gru and onnx.lstm hold implementations that conform, drawn at random
(`ASSAY_PAIRS` of them and a request, 200), and leave out those that do not."""

import math
import os
import random
import sys

sys.path.insert(0, "harness/tests")
from tap import finish, report  # noqa: E402

from onednn_rnn_conforming import narrowed
from onnx_rnn_model import ACTIVATIONS, Conforming, FUNCTIONS, Model, document, evaluate, numbers
from onnx_rnn_model import random_request

PAIRS = int(os.environ.get("ASSAY_PAIRS", "200"))


def outside(answer, outputs, dtype):
    """The first element that is outside of its bounds, in words."""
    for name, (_, data) in outputs.items():
        ends = (numbers(answer, name, key) for key in ("lower", "upper"))
        for k, (number, lower, upper) in enumerate(zip(data, *ends)):
            value = narrowed(number.value, dtype)
            anything = lower == -math.inf and upper == math.inf  # a NaN too
            if not (anything or lower <= value <= upper):
                return (f"{name}[{k}] is {value!r}, outside of "
                        f"[{float(lower)!r}, {float(upper)!r}]")
    return None


def conforming(rng, pairs, **options):
    """The first failure of `pairs` implementations."""
    each = 4
    requests = [random_request(rng, rng.choice(list(FUNCTIONS)), rng.choice(["f32", "bf16", "f16"]),
                               **options) for _ in range(-(-pairs // each))]
    for request, answer in zip(requests, evaluate([document(r) for r in requests], "--bounds")):
        if "error" in answer:
            return str(answer)
        for _ in range(each):
            failure = outside(answer, Model(request, Conforming(rng, request["dtype"])).run(),
                              request["dtype"])
            if failure:
                return f"{request['attributes']} {request['dtype']}: {failure}"
    return None


def exact_is_inside(rng):
    """The values of the reference lie inside of its own bounds."""
    requests = [random_request(rng, op, dtype) for op in FUNCTIONS for dtype in ("f32", "bf16")
                for _ in range(20)]
    for request, answer in zip(requests, evaluate([document(r) for r in requests], "--bounds")):
        for name in answer["outputs"]:
            for k, (value, lower, upper) in enumerate(zip(*(
                    numbers(answer, name, key) for key in ("bits", "lower", "upper")))):
                if not lower <= value <= upper:
                    return f"{request['attributes']}: {name}[{k}]"
    return None


class Wrong(Conforming):
    """Conforms but for one function, whose value is off by 1e-4 of itself."""

    def apply(self, name, alpha, beta, x):
        right = super().apply(name, alpha, beta, x)
        return type(right)(right.value * (1 + 1e-4))


def wrong_is_outside(rng):
    """Of each activation, an error of 1e-4 is seen by some of 12 requests of one step."""
    for name in ACTIVATIONS:
        requests = []
        for _ in range(12):
            request = random_request(rng, "onnx.rnn", activations=False, T=1, H=4)
            request["inputs"].pop("sequence_lens", None)
            request["attributes"].pop("clip", None)
            count = 2 if request["attributes"]["direction"] == "bidirectional" else 1
            request["attributes"].update(activations=[name] * count, activation_alpha=[0.5] * count,
                                         activation_beta=[0.25] * count)
            requests.append(request)
        answers = evaluate([document(r) for r in requests], "--bounds")
        seen = sum(outside(answer, Model(request, Wrong(rng, "f32")).run(), "f32") is not None
                   for request, answer in zip(requests, answers))
        if not seen:
            return f"{name}: nobody saw it"
    return None


def main():
    seed = int(os.environ.get("ASSAY_SEED", "11"))
    rng = random.Random(seed)
    report("the reference itself", exact_is_inside(rng))
    report("random conforming implementations", conforming(rng, PAIRS))
    report("with the default activations", conforming(rng, PAIRS, activations=False))
    report("an activation that is off by 1e-4", wrong_is_outside(rng))
    finish()


main()
