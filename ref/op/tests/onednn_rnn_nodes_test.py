# SPDX-License-Identifier: Apache-2.0
"""onednn.rnn, bit for bit, against a model in exact fractions that rounds every node once; and the
same, with its bounds, for any number of threads."""
import os
import random
import sys

sys.path.insert(0, "harness/tests")
from tap import finish, report  # noqa: E402

from onednn_rnn_model import GATES, Model
from onednn_rnn_numbers import Nodes
from onednn_rnn_request import Request, evaluate, numbers

THREADS = ["1", "2", "3", "7"]
# Large enough for several threads; rows and matrices do not divide by their number.
SHARED = [
    ("lstm", "left2right", "f32", {"projection": True, "DIC": 51, "peephole": True}),
    ("gru", "right2left", "f32", {}),
    ("lbr_augru", "bidirectional_sum", "bf16", {}),
]
DIRECTIONS = ["left2right", "right2left", "bidirectional_concat", "bidirectional_sum"]


def difference(requests):
    """The first element that differs from the model, in words."""
    answers = evaluate([r.document() for r in requests])
    for request, answer in zip(requests, answers):
        where = f"{request.attributes} {sorted(request.types.items())} "
        if "error" in answer:
            return where + str(answer["error"])
        expected = Model(
            dict(request.attributes, profile=request.profile), request.inputs, request.types, Nodes
        ).run()
        if set(expected) != set(answer["outputs"]):
            return where + f"outputs {sorted(answer['outputs'])}, expected {sorted(expected)}"
        for name, tensor in expected.items():
            if answer["outputs"][name]["shape"] != tensor.shape:
                return (
                    where
                    + f"{name} has shape {answer['outputs'][name]['shape']}, "
                      f"expected {tensor.shape}"
                )
            for k, (found, right) in enumerate(zip(numbers(answer, name), tensor.data)):
                if found != right:
                    return where + f"{name}[{k}] is {float(found)!r}, expected {float(right)!r}"
    return None


def threads():
    rng = random.Random(7)
    for cell, direction, dtype, options in SHARED:
        request = Request(rng, cell, direction, "backward", dtype, T=24, N=9, L=1, SLC=45, DHC=62,
                          optional=lambda: True, **options)
        answers = []
        for count in THREADS:
            os.environ["ASSAY_THREADS"] = count
            answers.append(evaluate([request.document()], "--bounds")[0])
        del os.environ["ASSAY_THREADS"]
        differ = [n for n, a in zip(THREADS, answers) if a != answers[0] or "outputs" not in a]
        report(f"{cell}, {direction}, {dtype}: the same with {', '.join(THREADS)} threads",
               f"others with {differ}" if differ else None)


def main():
    rng = random.Random(int(sys.argv[1]) if len(sys.argv) > 1 else 3)
    each = int(sys.argv[2]) if len(sys.argv) > 2 else 2
    for propagation in ("forward_inference", "backward"):
        for dtype in ("f32", "bf16", "f16"):
            for cell in GATES:
                requests = [
                    Request(
                        rng,
                        cell,
                        direction,
                        propagation,
                        dtype,
                        scale=rng.choice([0.5, 2.0]),
                        projection=cell == "lstm" and rng.random() < 0.5,
                    )
                    for direction in DIRECTIONS
                    for _ in range(each)
                ]
                report(
                    f"{cell} {propagation} {dtype}: every node of every direction",
                    difference(requests),
                )
    for dtype, cell in (("u8", "lstm"), ("u8", "gru"), ("i8", "lstm")):
        requests = [
            Request(
                rng, cell, direction, dtype=dtype, projection=cell == "lstm" and rng.random() < 0.5
            )
            for direction in DIRECTIONS
            for _ in range(3 * each)
        ]
        report(f"{cell} on {dtype} data: every node of every direction", difference(requests))
    threads()
    finish()


main()
