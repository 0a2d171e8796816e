# SPDX-License-Identifier: Apache-2.0
"""What is left to chance: draws outside their range, NaN, the same values twice and draws that are
not uniform fail; what passes was audited. TAP."""

import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, "harness/tests")
from process_target import write  # noqa: E402
from tap import check, finish  # noqa: E402

BODY = """
import math, random
calls, fixed = 0, random.Random(3)
stretched = lambda u: u - 2e-3 if 0.4 < u < 0.402 else u
table = [12.1999 * fixed.random() - 3.3 for _ in range(99991)]


def run(request):
    global calls
    calls += 1
    size = request["inputs"]["shape"]
    shape = [int(bits, 16) for bits in size["bits"]]
    count = math.prod(shape)
    draw = random.random
    data = [%s for k in range(count)]
    return "output", "%s", shape, struct.pack("<%%d%s" %% count, *data)
"""
# The range of floats is [-3.3, 8.9), of integers [-50, 1000).
GOOD = "12.1999 * draw() - 3.3"
UNEVEN = "(k + calls) % 7 / 8"
# What is wrong in the calls of the case alone, and right where more of it is asked for.
ASKED = "%s if count == 1000 else " + GOOD
NOT_UNIFORM, OF_CALLS = "not uniform", "calls 1 and 2"
ROWS = (("f32", GOOD, "pass", "draws; the battery found nothing in 256 "),
        ("f32", "12.1999 * (int(draw() * 65536) / 65536) - 3.3", "fail", "draws that came before"),
        ("f64", GOOD, "pass", "draws; the battery found nothing in 256 "),
        ("f64", "12.1999 * (int(draw() * 2**32) / 2**32) - 3.3", "fail", "draws that came before"),
        # In one dimension it is right.
        ("f32", "12.1999 * draw() ** len(shape) - 3.3", "fail", NOT_UNIFORM),
        ("f32", "12.1999 * draw() ** 2 - 3.3", "fail", NOT_UNIFORM),
        ("f32", "12.1999 * draw() ** 1.02 - 3.3", "fail", NOT_UNIFORM),
        ("f32", "12.1999 * ((k * 0.6180339887 + calls * 0.1) % 1) - 3.3", "fail", "pairs of draws"),
        ("f32", "table[(k + 1000 * calls) % 99991]", "fail", "draws that came before"),
        ("f32", "min(x := abs(table[(k + 1000 * calls) % 99991] + 3.29 + draw() / 50) - 3.3, "
         "17.7998 - x)", "fail", "flawed:"),
        ("f32", UNEVEN, "fail", NOT_UNIFORM),
        ("f32", "12.1999 * draw() / (2 if count == 1000 else 1) - 3.3", "fail", NOT_UNIFORM),
        ("f32", GOOD + " if count > 1000 or k == 9 else -3.3", "fail", "not unif"),
        ("f32", ASKED % "table[k % 500 + 999 * calls]", "fail", "draws that came before"),
        # A call on its own is right, and two of them hang together.
        ("f32", "table[k] if count == 1000 and k < 999 else " + GOOD, "fail", OF_CALLS),
        ("f32", ASKED % "table[k + calls]", "fail", OF_CALLS),
        ("f32", ASKED % "(table[k] if calls % 2 else 5.6 - table[k]) + draw() / 1e3", "fail",
         OF_CALLS),
        ("f32", "1e9 + 1e3 * calls", "fail", "1000"),
        ("f32", "float('nan') if k == 3 else " + UNEVEN, "fail", "element 3 is"),
        ("f32", "float('nan') if k == 3000 else " + GOOD, "fail", "element 3000 is"),
        ("f32", "-1e6 - calls", "fail", "element 0"),
        ("f32", "table[k]", "fail", "the same values"),
        # The generator of each process begins where that of the others does.
        ("f32", "12.1999 * fixed.random() - 3.3", "fail", "two processes"),
        ("f32", "12.1999 * stretched(draw()) - 3.3", "fail", "none of 524288 draws lies between"),
        ("i32", "random.randrange(-50, 1000)", "pass", "524288 draws; the battery found nothing"),
        ("i32", "random.randrange(-50, 999)", "fail", "not uniform: 0 of 524288 draws of 999"),
        ("i32", "1000 if k == 5 else (k + calls) % 9", "fail", "element 5 is 1000, not in [-50, "),
        ("i32", "(k + calls) % 9 - 51", "fail", "is -51"))
for dtype, draw, verdict, says in ROWS:
    with tempfile.TemporaryDirectory() as folder:
        program = write(os.path.join(folder, "chance"), ["openvino.random_uniform"],
                        BODY % (draw, dtype, "d" if dtype == "f64" else dtype[0]))
        out = os.path.join(folder, "out.jsonl")
        done = subprocess.run([os.path.join(os.environ.get("BUILD", "build"), "assay"), "certify",
                               "--exec", program, "--suite", "openvino.random_uniform", "--case",
                               f"seeds-both-zero-{dtype}", "--out", out, "--no-explain"],
                              capture_output=True, text=True)
        record = json.loads(open(out).readlines()[1]) if os.path.exists(out) else {}
        check(record.get("verdict") == verdict and says in record.get("reason", ""),
              f"{dtype}, {draw}: {verdict}", [done.stdout, done.stderr, record])
        if verdict == "pass":
            check(record.get("compared") == 1 << 19, "so many draws were looked at", [record])
finish()
