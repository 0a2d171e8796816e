# SPDX-License-Identifier: Apache-2.0
"""A process target in Python that computes Range with NumPy and ml_dtypes takes and gives 8-bit
floats, in lines and in files, and is equal to the reference; its mistakes are named."""

import os
import subprocess
import sys
import tempfile

sys.path.insert(0, "harness/tests")
from tap import check, finish, skip  # noqa: E402

try:
    import ml_dtypes  # noqa: F401
except ImportError:
    skip("8-bit floats of a process target", "ml_dtypes is not installed (scripts/setup)")
    finish()

ASSAY = os.path.join(os.environ.get("BUILD", "build"), "assay")
PROGRAM = """#!%s
import math, sys
sys.path.insert(0, %r)
import numpy
from assay.target import DTYPES, serve

class Range:
    name, version, operations = "f8", "1", ["openvino.range"]

    def supports(self, request):
        pass

    def run(self, request):
        kind = request.attributes["output_type"]
        start, stop, step = (numpy.float64(request.inputs[name][()])
                             for name in ("start", "stop", "step"))
        work = numpy.float64 if kind == "f64" else numpy.float32
        i = numpy.arange(max(math.ceil((stop - start) / step), 0)).astype(work)
        with numpy.errstate(all="ignore"):
            return {"output": %s.astype(DTYPES[kind])}

serve(Range())
"""
RIGHT = "(work(start) + i * work(step))"


def certify(folder, elements, cases):
    path = os.path.join(folder, "target.py")
    with open(path, "w") as file:
        file.write(PROGRAM % (sys.executable, os.path.abspath("harness/python"), elements))
    os.chmod(path, 0o755)
    return subprocess.run([ASSAY, "certify", "--suite", "openvino.range", "--case", cases, "--out",
                           os.path.join(folder, "out.jsonl"), "--exec", path],
                          capture_output=True, text=True)


with tempfile.TemporaryDirectory() as folder:
    for cases, count in (("f8-r*", 22), ("f8-s*", 2), ("f8-o*", 4), ("f8-b*", 4),
                         ("subnormal-f8*", 6), ("types-f8e4m3-f8*", 2), ("long-f8*", 2)):
        done = certify(folder, RIGHT, cases)
        check(f"\n{count} cases, 0 unexpected, 0 expected failures: conforms" in done.stdout,
              f"{cases}: NumPy and ml_dtypes give the reference's bits", done)
    narrow = f"{RIGHT}.astype(DTYPES[kind]).astype(work)"
    for what, elements, cases, says in (
            ("rounded to f16 first", f"{RIGHT}.astype(numpy.float16)", "f8-b*",
             ": f8_rounding=through_f16"),
            ("without subnormals", f"numpy.where(abs({narrow}) < 2.0**-6, 0 * {RIGHT}, {RIGHT})",
             "f8-subnormal-f8e4m3", ": f8_rounding=nearest_flushed"),
            ("saturated", f"numpy.where(abs({RIGHT}) > 464, 448, {RIGHT})",
             "f8-overflow-f8e4m3-up", "0 unexpected, 0 expected failures: conforms"),
            ("with another largest number", f"numpy.where(abs({RIGHT}) > 420, 416, {RIGHT})",
             "f8-overflow-f8e4m3-up", "expected 7e (448), got 7d (416)")):
        done = certify(folder, elements, cases)
        check(says in done.stdout, f"{cases}, {what}: {says}", done)
finish()
