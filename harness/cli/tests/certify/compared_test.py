# SPDX-License-Identifier: Apache-2.0
"""What was compared with what: a case that asks for what its request cannot have is refused, and a
pass says how many elements it stands for. TAP."""

import json
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, "harness/tests")
from tap import check, finish  # noqa: E402

BUILD = os.environ.get("BUILD", "build")
HEAD = """suite: compared
version: 1.0.0
specification: {title: compared}
requirements: {P: {text: all of it}}
%scases:
"""
GRU = """  - id: gru
    covers: [P]
    op: onednn.rnn
    attributes: {cell: gru}
    outputs: [%s]
    inputs:
      src_layer: {dtype: f32, shape: [1, 1, 1], data: [0.5]}
      weights_layer: {dtype: f32, shape: [1, 1, 1, 3, 1], data: [0.5, 0.25, 1]}
      weights_iter: {dtype: f32, shape: [1, 1, 1, 3, 1], data: [0.5, 0.25, 1]}
"""
RANGE = """  - id: range
    covers: [P]
    op: openvino.range
    attributes: {output_type: i32}
    inputs: {start: 2, stop: %d, step: 3}
"""


def choices(suite):
    """How a suite of the tree classifies the options of its operations."""
    with open(f"yaml/suites/{suite}.yaml") as file:
        return re.search(r"^choices:\n(?:[ #].*\n|\n)*", file.read(), re.M).group()


def certify(cases, like):
    with tempfile.TemporaryDirectory() as folder:
        suite, out = os.path.join(folder, "compared.yaml"), os.path.join(folder, "out.jsonl")
        with open(suite, "w") as file:
            file.write(HEAD % choices(like) + cases)
        done = subprocess.run([os.path.join(BUILD, "assay"), "certify", "--target", "reference",
                               "--suite", suite, "--out", out], capture_output=True, text=True)
        if not os.path.exists(out):
            return done, None
        with open(out) as file:
            return done, json.loads(file.readlines()[1])


done, record = certify(GRU % "dst_iter_c", "onednn.rnn")
check(done.returncode == 3 and record["verdict"] == "harness"
      and "outputs names dst_iter_c" in record["reason"],
      "a case cannot ask for what its request does not have", done)
done, record = certify(GRU % "dst_iter, dst_layer", "onednn.rnn")
check(done.returncode == 0 and record["verdict"] == "pass" and record["compared"] == 2
      and record["reached"] == "bound", "a pass says how many elements, and at which level", record)
done, record = certify(RANGE % 17, "openvino.range")
check(record and record["compared"] == 5 and record["reached"] == "bits", "of bits too",
      record or done)
done, record = certify(RANGE % 2, "openvino.range")
check(record["verdict"] == "pass" and record["compared"] == 0
      and "types and shapes" in record.get("reason", ""), "of no elements, that it is by shape",
      record)

# A target may say that equal calls differ; each of them is still held to the bounds.
for plugin, code in ("good_rnn", 0), ("claims_order", 1):
    done = subprocess.run([os.path.join(BUILD, "assay"), "certify", "--plugin",
                           os.path.join(BUILD, "zoo", plugin + ".so"), "--suite", "onednn.rnn",
                           "--case", "usual-*", "--no-explain"], capture_output=True, text=True)
    check(done.returncode == code, f"every call of {plugin} is held to the bounds: {code}", done)
finish()
