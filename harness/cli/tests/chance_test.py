# SPDX-License-Identifier: Apache-2.0
"""What is left to chance: draws outside their range and NaN fail, and what is in its range is not
called a pass, since its distribution is not tested. TAP."""

import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, "harness/tests")
from process_target import write  # noqa: E402
from tap import check, finish  # noqa: E402

BODY = """
calls = 0


def run(request):
    global calls
    calls += 1
    shape, count = [1000], 1000
    data = [%s for k in range(count)]
    return "output", "f32", shape, struct.pack("<%%df" %% count, *data)
"""
ROWS = (("(k + calls) % 7 / 8", "vacuous", "not tested"), ("1e9 + 1e3 * calls", "fail", "1000"),
        ("float('nan') if k == 3 else (k + calls) % 7 / 8", "fail", "element 3 is"),
        ("-1e6 - calls", "fail", "element 0"), ("0.5", "fail", "the same values"))
for draw, verdict, says in ROWS:
    with tempfile.TemporaryDirectory() as folder:
        program = write(os.path.join(folder, "chance"), ["openvino.random_uniform"],
                        BODY % draw)
        out = os.path.join(folder, "out.jsonl")
        done = subprocess.run([os.path.join(os.environ.get("BUILD", "build"), "assay"), "certify",
                               "--exec", program, "--suite", "openvino.random_uniform", "--case",
                               "seeds-both-zero-f32", "--out", out, "--no-explain"],
                              capture_output=True, text=True)
        record = json.loads(open(out).readlines()[1]) if os.path.exists(out) else {}
        check(record.get("verdict") == verdict and says in record.get("reason", ""),
              f"{draw}: {verdict}", [done.stdout, done.stderr, record])
finish()
