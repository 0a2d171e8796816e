# SPDX-License-Identifier: Apache-2.0
"""What a text leaves undefined: any answer and any refusal survives, harm does not."""

import os
import subprocess
import sys
import tempfile

sys.path.insert(0, "harness/tests")
from given import certify_case  # noqa: E402
from process_target import write  # noqa: E402
from tap import check, finish  # noqa: E402

ASSAY = os.path.join(os.environ.get("BUILD", "build"), "assay")
CASE = "undefined-step-zero-i32"  # 0 to 9 by 0
# ANSWER says what becomes of the request.
TARGET = '''
import os, signal, time

way = os.environ["ANSWER"]


def run(request):
    if way == "ends":
        os.kill(os.getpid(), signal.SIGKILL)
    if way == "sleeps":
        time.sleep(60)
    if way == "breaks":
        print("no JSON at all", flush=True)
    values = {"empty": [], "some": [1, 2, 3]}.get(way, [0])
    return "output", "i32", [len(values)], struct.pack("<%di" % len(values), *values)
'''


with tempfile.TemporaryDirectory() as work:
    target = write(os.path.join(work, "any.py"), ["openvino.range"], TARGET)
    for answer in ("empty", "some"):
        run, record = certify_case(target, "openvino.range", CASE, answer)
        check(run.returncode == 4 and record["verdict"] == "survived" and record["negative"],
              f"an answer, {answer}, survives", (run, record))
    for answer, verdict in (("ends", "crash"), ("breaks", "protocol")):
        run, record = certify_case(target, "openvino.range", CASE, answer)
        check(run.returncode == 1 and record["verdict"] == verdict, f"{verdict} does not",
              (run, record))
    run, record = certify_case(target, "openvino.range", CASE, "sleeps", "--time", "300")
    check(run.returncode == 1 and record["verdict"] == "timeout", "nor does a hang",
          (run, record))
    run, _ = certify_case(target, "openvino.range", CASE, "some")
    words = run.stdout.split("\n")
    heads = next((line for line in words if line.startswith("target")), "")
    check("survived" in heads, "the table counts what survived", run.stdout)

    suite = os.path.join(work, "small.yaml")
    with open("yaml/suites/openvino.range.yaml", encoding="utf-8") as file:
        text = file.read()
    for with_survive, why in (("survive: a, reject: b", "combined with level or reject"),
                              ("survive: a, level: bits", "combined with level or reject"),
                              ("survive: a, printed: {output: [1]}", "printed cannot be combined")):
        head = text[:text.index("\ncases:\n")].replace("openvino.range\nversion", "small\nversion")
        with open(suite, "w", encoding="utf-8") as file:
            file.write(head + "\ncases:\n  - {id: one, covers: [RG-STEP-ZERO], op: openvino.range, "
                       "attributes: {output_type: i32}, inputs: {start: 0, stop: 4, step: 0}, "
                       + with_survive + "}\n")
        done = subprocess.run([ASSAY, "list", "cases", "--suite", suite], capture_output=True,
                              text=True, check=False)
        check(done.returncode == 2 and why in done.stderr, f"{with_survive}: refused", done)
finish()
