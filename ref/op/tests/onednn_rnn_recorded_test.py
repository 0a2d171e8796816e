# SPDX-License-Identifier: Apache-2.0
"""Bounds hold what oneDNN 3.13.2 computed in bf16, backward, on a processor with AVX-512 BF16.

`recorded/` has its outputs, a JSON line a case of suite onednn.rnn.backward, with the SHA-256 of
the request that they answer. The library keeps gates in bf16 and makes r*h' anew of the r that it
kept. Its gradients of cells with attention are wrong, and are held outside.
"""

import hashlib
import json
import lzma
import os
import subprocess
import sys

sys.path.insert(0, "harness/tests")
from tap import finish, report  # noqa: E402

from onednn_rnn_numbers import FORMATS
from onednn_rnn_request import ASSAY, to_number

RECORDED = os.path.join(
    os.path.dirname(os.path.abspath(__file__)), "recorded", "onednn-3.13.2-bf16-backward.jsonl.xz"
)
SUITE = "onednn.rnn.backward"
AT_ONCE = 12


def requests(cases):
    return [
        subprocess.run(
            [ASSAY, "show", case, "--suite", SUITE, "--json"],
            capture_output=True, text=True, check=True,
        ).stdout
        for case in cases
    ]


def answers(documents):
    for first in range(0, len(documents), AT_ONCE):
        text = "".join("---\n" + document for document in documents[first : first + AT_ONCE])
        out = subprocess.run(
            [ASSAY, "eval", "--bounds", "-"], input=text, capture_output=True, text=True, check=True
        )
        yield from map(json.loads, out.stdout.splitlines())


def outside(recorded, answer):
    """How many recorded elements lie outside their intervals, and the first of them."""
    wrong, first = 0, None
    for name in recorded["outputs"].keys() & answer["outputs"].keys():
        got, admitted = recorded["outputs"][name], answer["outputs"][name]
        assert got["dtype"] == admitted["dtype"] in FORMATS and got["shape"] == admitted["shape"]
        ends = admitted.get("lower", admitted["bits"]), admitted.get("upper", admitted["bits"])
        elements = list(zip(got["bits"].split(), *ends))
        assert len(elements) == len(admitted["bits"])
        for k, element in enumerate(elements):
            value, lower, upper = (to_number(bits, got["dtype"]) for bits in element)
            if not lower <= value <= upper:
                wrong += 1
                first = first or (
                    f"{name}[{k}] is {float(value)!r}, "
                    f"admitted are {float(lower)!r} to {float(upper)!r}"
                )
    return wrong, first


def main():
    with lzma.open(RECORDED, "rt") as lines:
        recorded = [json.loads(line) for line in lines]
    documents = requests([record["case"] for record in recorded])
    other = [
        record["case"]
        for record, document in zip(recorded, documents)
        if hashlib.sha256(document.encode()).hexdigest() != record["request"]
    ]
    report("the suite's requests are those that were answered", ", ".join(other) or None)
    accused, missed, elements = [], [], 0
    for record, answer in zip(recorded, answers(documents)):
        wrong, first = outside(record, answer)
        elements += sum(len(t["bits"].split()) for t in record["outputs"].values())
        if wrong and not record["wrong"]:
            accused.append(f"{record['case']}: {first} ({wrong} elements)")
        if record["wrong"] and wrong < 100:
            missed.append(f"{record['case']}: {wrong} elements outside")
    right = sum(not record["wrong"] for record in recorded)
    print(f"# {right} cases that the library computes right, {len(recorded) - right} wrong ones; "
          f"{elements} elements")
    report("what the library computes right lies inside", "; ".join(accused) or None)
    report("what it computes wrong does not", "; ".join(missed) or None)
    finish()


main()
