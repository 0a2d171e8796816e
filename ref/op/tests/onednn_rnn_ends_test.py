# SPDX-License-Identifier: Apache-2.0
"""The reference is never outside its own interval, near the ends of the range too: numbers so
large that sums and products overflow, infinities, NaN, numbers so small that they underflow.

A NaN lies in [-inf, inf] alone. `ASSAY_PAIRS` sets how many requests are drawn (300).
"""

import math
import os
import random
import sys

sys.path.insert(0, "harness/tests")
from tap import finish, report  # noqa: E402

from onednn_rnn_conforming import DIRECTIONS
from onednn_rnn_ends import first_outside, numbers_of
from onednn_rnn_model import GATES
from onednn_rnn_request import Request, evaluate

PAIRS = int(os.environ.get("ASSAY_PAIRS", "300"))
LARGEST = {"f32": 127, "bf16": 127, "f16": 15}  # binary exponents
LEAST = {"f32": -149, "bf16": -133, "f16": -24}


def extreme(rng, dtype, kinds):
    """A number that its type holds, with few bits."""
    kind = rng.choice(kinds)
    high, low = LARGEST[dtype], LEAST[dtype]
    exponent = {
        "huge": lambda: rng.randint(high - 4, high),
        "large": lambda: rng.randint(high // 2 - 2, high // 2 + 2),
        "plain": lambda: rng.randint(-3, 1),
        "small": lambda: rng.randint(low // 2 - 4, low // 2 + 4),
        "tiny": lambda: rng.randint(low, low + 30),
    }
    if kind in exponent:
        at = exponent[kind]()
        return rng.choice([-1, 1]) * rng.choice([1, 1.25, 1.5, 1.75] if at > low + 2 else [1]) * (
            2.0 ** at
        )
    return {"zero": 0.0, "-zero": -0.0, "inf": math.inf, "-inf": -math.inf, "nan": math.nan}[kind]


FINITE = ["huge", "large", "plain", "small", "tiny", "zero"]
WILD = FINITE + ["plain", "plain", "-zero", "inf", "-inf", "nan"]


def draw(rng):
    cell = rng.choice(sorted(GATES))
    dtype = rng.choice(["f32", "f32", "f32", "bf16", "f16"])
    request = Request(
        rng,
        cell,
        rng.choice(DIRECTIONS),
        rng.choice(["forward_inference", "backward"]),
        dtype,
        projection=cell == "lstm" and rng.random() < 0.3,
        N=1,
        L=rng.choice([1, 1, 2]),
    )
    palette = rng.choice([FINITE, ["huge", "plain"], ["huge"], ["large", "plain"], WILD,
                          ["plain", "plain", "inf"], ["plain", "tiny"], ["small"]])
    for name, tensor in request.inputs.items():
        own = palette if rng.random() < 0.7 else ["plain"]
        if name != "attention" or own is WILD:
            tensor.data = [extreme(rng, request.types[name], own) for _ in tensor.data]
    return request


def main():
    rng = random.Random(19)
    requests = [draw(rng) for _ in range(PAIRS)]
    failures, nans = [], 0
    for request, answer in zip(requests, evaluate([r.document() for r in requests], "--bounds")):
        values = {name: numbers_of(answer, name) for name in answer["outputs"]}
        failure = first_outside(answer, values)
        nans += any(math.isnan(k) for row in values.values() for k in row)
        if failure:
            failures.append(f"{request.attributes} {sorted(request.types.items())}: {failure}")
            if "-v" in sys.argv:
                print("#", failures[-1])
    report("the reference lies in its own intervals near the ends of the range",
           f"{len(failures)} do not: {failures[0]}" if failures else None)
    report("a fifth of them and more give a NaN", None if nans > PAIRS / 5 else f"{nans}")
    finish()


main()
