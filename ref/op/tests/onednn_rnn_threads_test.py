# SPDX-License-Identifier: Apache-2.0
"""Values and bounds of onednn.rnn are the same for any number of threads, forward and backward:
requests large enough for several, whose rows and matrices do not divide by their number."""

import os
import random
import sys

sys.path.insert(0, "harness/tests")
from tap import finish, report  # noqa: E402

from onednn_rnn_request import Request, evaluate

THREADS = ["1", "2", "3", "7"]
CASES = [
    ("lstm", "left2right", "f32", {"projection": True, "DIC": 51, "peephole": True}),
    ("gru", "right2left", "f32", {}),
    ("lbr_augru", "bidirectional_sum", "bf16", {}),
]


def main():
    rng = random.Random(7)
    for cell, direction, dtype, options in CASES:
        request = Request(rng, cell, direction, "backward", dtype, T=24, N=9, L=1, SLC=45, DHC=62,
                          optional=lambda: True, **options)
        answers = []
        for count in THREADS:
            os.environ["ASSAY_THREADS"] = count
            answers.append(evaluate([request.document()], "--bounds")[0])
        differ = [n for n, a in zip(THREADS, answers) if a != answers[0] or "outputs" not in a]
        report(f"{cell}, {direction}, {dtype}: the same with {', '.join(THREADS)} threads",
               f"others with {differ}" if differ else None)
    finish()


main()
