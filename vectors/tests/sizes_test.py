# SPDX-License-Identifier: Apache-2.0
"""Every declared operator has a case whose output is longer than vectors, tiles and unrolled loops
are, and ends within one: what is wrong there alone fails."""

import json
import math
import pathlib
import sys

sys.path.insert(0, "harness/tests")
from tap import checked, finish  # noqa: E402

LONGER_THAN, LANES = 512, 8  # elements of a block, and of f32 in a register of AVX2


def lengths(suites):
    """The operator, and the number of elements of each output, of every case that has values."""
    for path in suites:
        lines = map(json.loads, path.read_text().splitlines()[1:])
        for case in lines:
            for outputs in case.get("outputs", {}).values():
                for output in outputs if isinstance(outputs, list) else [outputs]:
                    yield case["op"], math.prod(output["shape"])


def short(lengths_of):
    """Those of the operators in `yaml/operators` that have no such case."""
    long = {op for op, count in lengths_of if count > LONGER_THAN and count % LANES}
    return {path.stem for path in pathlib.Path("yaml/operators").glob("*.yaml")} - long


@checked("every declared operator is asked for more than a vector, a tile or a share of work, and "
         "for what is left behind the last of them")
def _():
    missing = short(lengths(pathlib.Path("vectors/golden").glob("*.jsonl")))
    assert not missing, sorted(missing)


@checked("an operator whose longest output is short, or fills its vectors, is named")
def _():
    named = short([("onnx.exp", 512), ("onnx.tanh", 1024), ("onnx.erf", 513)])
    assert {"onnx.exp", "onnx.tanh"} <= named and "onnx.erf" not in named


finish()
