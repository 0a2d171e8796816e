# SPDX-License-Identifier: Apache-2.0
"""No conforming implementation of onednn.rnn is accused: drawn over every freedom that the
evaluation model leaves (onednn_rnn_conforming.py), for every cell, type and direction, forward and
backward, each output held to its bounds.

A verdict is one output tensor. The seed is another in every run, so that verdicts add up from night
to night; ASSAY_SEED repeats a run. ASSAY_VERDICTS is how many each cell, type, direction and
propagation gets at least (8; 1,000 with ASSAY_FULL=1).
"""

import collections
import itertools
import math
import multiprocessing
import os
import random
import secrets
import sys
import time
from fractions import Fraction

sys.path.insert(0, "harness/tests")
from tap import finish, report  # noqa: E402

from onednn_rnn_conforming import DIRECTIONS, Implementation, Number, f32, narrowed
from onednn_rnn_ends import first_outside
from onednn_rnn_model import GATES
from onednn_rnn_numbers import round_fraction
from onednn_rnn_request import Request, evaluate

FULL = os.environ.get("ASSAY_FULL")
VERDICTS = int(os.environ.get("ASSAY_VERDICTS", "1000" if FULL else "8"))
SEED = int(os.environ.get("ASSAY_SEED", secrets.randbits(32)))
REQUESTS, IMPLEMENTATIONS = (12, 6) if FULL else (2, 2)  # at a time
PAIRS = [
    (cell, dtype, direction, propagation)
    for cell, dtype, direction, propagation in itertools.product(
        sorted(GATES), ("f32", "bf16", "f16"), DIRECTIONS, ("forward_inference", "backward"))
] + [
    (cell, dtype, direction, "forward_inference")
    for cell, dtype in (("lstm", "u8"), ("gru", "u8"), ("lstm", "i8"))
    for direction in DIRECTIONS
]
KINDS = ["dense", "dense", "sparse", "grid", "pairs", "tiny", "huge"]


def draw(rng, cell, dtype, direction, propagation, kind=None):
    """A small request: dense, sparse, on a grid, of two products a sum, or near an end of the
    range."""
    request = Request(
        rng, cell, direction, propagation, dtype,
        scale=rng.choice([0.3, 1.0, 4.0]), projection=cell == "lstm" and rng.random() < 0.3,
        T=rng.randint(1, 3), N=rng.choice([1, 1, 2]), L=rng.choice([1, 1, 2]),
        DHC=rng.choice([1, 3, 5]), SLC=rng.choice([1, 5]))
    request.profile = {}
    kind = kind or (rng.choice(KINDS) if dtype[0] not in "ui" else "dense")
    for name, tensor in request.inputs.items():
        low = request.types[name]
        if kind in ("sparse", "pairs") and name.startswith("weights"):
            tensor.data = [k if rng.random() < 0.3 else Fraction(0) for k in tensor.data]
        if kind == "grid":
            tensor.data = [Fraction(round(k * 16), 16) for k in tensor.data]
        if kind == "pairs":
            absent = name in ("bias", "weights_iter") and rng.random() < 0.7
            tensor.data = [Fraction(0) if absent else Fraction(round(k * 64), 64) *
                           Fraction(2) ** rng.choice([0, 0, -9, -12]) for k in tensor.data]
        if kind == "tiny" and name != "attention" and low != "f16":
            by = Fraction(2) ** rng.choice([-52, -70])
            tensor.data = [round_fraction(k * by, low) for k in tensor.data]
        if kind == "huge" and name != "attention" and rng.random() < 0.4:
            by = Fraction(2) ** rng.choice([60, 110, 124] if low != "f16" else [6, 13])
            tensor.data = [round_fraction(k / 4 * by, low) for k in tensor.data]
    return request


def floats(outputs):
    return {name: [float(getattr(k, "value", k)) for k in tensor.data]
            for name, tensor in outputs.items()}


def fleet(task):
    """Verdicts of one cell, type, direction and propagation: how many, and the accusations."""
    key, seed = task
    rng, verdicts, accused = random.Random(f"{seed} {key}"), 0, []
    while verdicts < VERDICTS:
        requests = [draw(rng, *key) for _ in range(REQUESTS)]
        answers = evaluate([r.document() for r in requests], "--bounds")
        for request, answer in zip(requests, answers):
            for _ in range(IMPLEMENTATIONS):
                outputs = Implementation(request, rng, {}).run()
                given = floats(outputs)
                verdicts += len(given)
                failure = first_outside(answer, given)
                if failure:
                    accused.append(f"{request.attributes} {sorted(request.types.items())}: "
                                   f"{failure}")
    return key, verdicts, accused


# ---- what is wrong must be seen -----------------------------------------------

class Truncating(Implementation):
    """Additions are rounded toward zero."""

    def total(self, leaves):
        total = 0.0
        for leaf in leaves:
            exact = total + math.prod(k.value for k in leaf)
            total = f32(exact)
            if abs(total) > abs(exact):
                total = f32(total * (1 - 2.0 ** -24))
        return Number(total)


class Narrow(Implementation):
    """Sums are kept in f16 between additions."""

    def total(self, leaves):
        total = 0.0
        for leaf in leaves:
            total = narrowed(f32(total + math.prod(k.value for k in leaf)), "f16")
        return Number(total)


class NarrowCell(Implementation):
    """c is kept in bf16, whatever its type."""

    def rc(self, x):
        return self.narrow(x, "bf16")


class Flushing(Implementation):
    """Sums below 2^-100 become 0."""

    def total(self, leaves):
        total = super().total(leaves)
        return total if abs(total.value) >= 2.0 ** -100 else Number(0.0)


class Inexact(Implementation):
    """Activations are off by twice what is allowed."""

    def __init__(self, request, rng, model):
        super().__init__(request, rng, model)
        self.arithmetic.ulps = {"tanh": 4, "logistic": 8}
        self.arithmetic.push = 1.0


def unseen(rng):
    """The wrong ones that no request accuses."""
    requests = [draw(rng, cell, "f32", "left2right", "forward_inference", kind)
                for cell, kind in (("lstm", "dense"), ("vanilla_rnn", "tiny"),
                                   ("vanilla_rnn", "pairs")) for _ in range(80)]
    answers = evaluate([r.document() for r in requests], "--bounds")
    left = [Truncating, Narrow, NarrowCell, Flushing, Inexact]
    for wrong in list(left):
        for request, answer in zip(requests, answers):
            given = floats(wrong(request, rng, {"flush": True}).run())
            if wrong in left and first_outside(answer, given):
                left.remove(wrong)
    return [wrong.__name__ for wrong in left]


# ---- the fleet ----------------------------------------------------------------

def main():
    start, counts, accused = time.monotonic(), collections.Counter(), []
    with multiprocessing.Pool() as pool:
        for key, verdicts, found in pool.imap_unordered(fleet, [(key, SEED) for key in PAIRS]):
            counts[key] = verdicts
            accused += found
    for cell, dtype in sorted({key[:2] for key in PAIRS}):
        row = [f"{key[2]} {key[3][:3]} {counts[key]}" for key in PAIRS if key[:2] == (cell, dtype)]
        print(f"# {cell} {dtype}: {', '.join(row)}")
    total = sum(counts.values())
    print(f"# seed {SEED}: {total} verdicts in {time.monotonic() - start:.0f} s, "
          f"{len(accused)} accusations")
    report("no conforming implementation is accused", "\n".join(accused[:20]) or None)
    report(f"each cell, type, direction and propagation has {VERDICTS} verdicts",
           None if min(counts.values()) >= VERDICTS else str(min(counts.items())))
    missed = unseen(random.Random(6))
    report("an implementation is accused that truncates sums, keeps them or c in fewer bits, "
           "flushes what is larger, or is off by twice what activations may be",
           ", ".join(missed) or None)
    finish()


if __name__ == "__main__":
    main()
