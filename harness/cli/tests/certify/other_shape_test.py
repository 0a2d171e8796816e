# SPDX-License-Identifier: Apache-2.0
"""An answer of another shape: what it holds is shown, and explained where a choice gives it."""

import os
import sys
import tempfile

sys.path.insert(0, "harness/tests")
from given import certify_case  # noqa: E402
from process_target import write  # noqa: E402
from tap import check, finish  # noqa: E402

ASSAY = os.path.join(os.environ.get("BUILD", "build"), "assay")
CASE = "cut-positive-f64"  # 0.75 to 9.75 by 2.75 as i32
# What numpy.arange(start, stop, step, dtype=i32) does: the count is that of the floats, and
# integers go on by the difference of the first two elements. ANSWER says what becomes of it.
ARANGE = '''
import math, os

calls = 0


def supports(asked):
    return {"supported": asked["op"] == "openvino.range"}


def number(tensor):
    bits = int(tensor["bits"][0], 16)
    return struct.unpack("<d", struct.pack("<Q", bits))[0]


def run(request):
    global calls
    calls += 1
    start, stop, step = (number(request["inputs"][k]) for k in ("start", "stop", "step"))
    count = math.ceil((stop - start) / step)
    first, second = int(start), int(start + step)
    values = [first + i * (second - first) for i in range(count)]
    if os.environ["ANSWER"] == "other":
        values = [7] * count
    elif os.environ["ANSWER"] == "changing":
        values[0] += calls
    return "output", "i32", [len(values)], struct.pack("<%di" % len(values), *values)
'''


with tempfile.TemporaryDirectory() as work:
    target = write(os.path.join(work, "arange.py"), ["openvino.range"], ARANGE)
    run, record = certify_case(target, "openvino.range", CASE, "second")
    check(record["verdict"] == "fail" and "is i32[4]; expected i32[5]: gave 0, 3, 6, 9 where the "
          "reference gives 0, 2, 4, 6, 8" in record["reason"], "the values are shown", record)
    check(record.get("explained", {}).get("profile") == {"integer_element": "second"},
          "and explained, although the shape is another", record)
    check("1 failure: integer_element=second" in run.stdout, "which is what is told", run.stdout)
    with open(target + ".jsonl", "rb") as whole:
        content = whole.read()
    certify_case(target, "openvino.range", CASE, "second", "--jobs", "2")
    with open(target + ".jsonl", "rb") as parts:
        check(parts.read() == content, "several processes find the same")
    _, record = certify_case(target, "openvino.range", CASE, "other")
    check("gave 7, 7, 7, 7" in record["reason"] and "profile" not in record["explained"],
          "what no choice gives is not explained", record)
    _, record = certify_case(target, "openvino.range", CASE, "changing")
    check(record["verdict"] == "nondeterministic" and "gave" not in record["reason"]
          and "explained" not in record, "what changes from call to call is not looked at", record)
finish()
