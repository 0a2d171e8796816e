# SPDX-License-Identifier: Apache-2.0
"""scripts/certify-operators counts what a program in the place of assay writes: which operators are
certified, what becomes of a case that two targets were asked, and what the exit code says."""

import json
import os
import subprocess
import sys
import tempfile

sys.path[:0] = ["harness/tests"]
from tap import check, expect, finish  # noqa: E402

# The records of a target come from the file of its name; without that it cannot be asked.
ASSAY = f"""#!{sys.executable}
import json, os, sys
here = os.path.dirname(os.path.abspath(__file__))
if sys.argv[1] == "list":
    operations = ["onnx.abs", "onnx.neg", "onnx.exp", "philox"]
    print(json.dumps({{"suite": "s", "operations": operations}}))
    sys.exit(0)
given = dict(zip(sys.argv[2::2], sys.argv[3::2]))
path = os.path.join(here, given["--target"])
if not os.path.exists(path):
    sys.exit(3)
text = open(path).read()
open(given["--out"], "w").write(text)
records = [json.loads(line) for line in text.splitlines()]
sys.exit(any(r.get("known", {{}}).get("state", "cured") == "cured" and
             (r["verdict"] == "fail" or "known" in r) for r in records))
"""


def case(name, op, verdict, state=None, reason=None):
    record = {"record": "case", "suite": "s", "case": name, "op": op, "verdict": verdict}
    record |= {"known": {"state": state}} if state else {}
    return record | ({"reason": reason} if reason else {})


def run(backend, **records):
    """The script beside such a program; records of each target, `__` for a colon."""
    with tempfile.TemporaryDirectory() as build:
        with open(os.path.join(build, "assay"), "w") as file:
            file.write(ASSAY)
        os.chmod(file.name, 0o755)
        for target, those in records.items():
            with open(os.path.join(build, target.replace("__", ":")), "w") as file:
                file.write("".join(json.dumps(record) + "\n" for record in those))
        return subprocess.run([sys.executable, "scripts/certify-operators", backend],
                              capture_output=True, text=True, env={**os.environ, "BUILD": build})


def counts(done, backend):
    """Operators, clean ones, and cases passed, known, unexpected, unlisted and not run."""
    row = next((line for line in done.stdout.splitlines() if line.startswith(backend + " ")), "")
    return [int(word) for word in row.split()[1:8]]


ASKED = [case("a", "onnx.abs", "pass"), case("b", "onnx.abs", "fail", "expected"),
         case("c", "onnx.neg", "rejected"), case("d", "onnx.neg", "unsupported", reason="no neg"),
         case("e", "onnx.exp", "pass"), case("f", "onnx.exp", "vacuous"),
         case("g", "philox", "pass")]
done = run("torch", torch=ASKED)
check(counts(done, "torch") == [2, 1, 4, 1, 0, 0, 1], "operators and cases are counted", done)
done = run("torch", torch=ASKED + [case("h", "onnx.exp", "fail")])
check(counts(done, "torch")[:5] == [1, 0, 4, 1, 1], "an operator with a failure does not count",
      done)
expect(done, 1, ["not on torch: 1 (a case fails): onnx.exp"], "a failure is exit code 1")
done = run("torch", torch=ASKED + [case("h", "onnx.exp", "pass", "cured")])
check(counts(done, "torch")[:5] == [1, 0, 4, 1, 1], "nor does one that passes against the list",
      done)
done = run("torch", torch=[case("a", "onnx.abs", "unsupported",
                                reason="Exception:\nSummary:\n-- No rule for: Abs-13\nmore")])
expect(done, 0, ["not on torch: 1 (No rule for: it): onnx.abs"], "a reason of many lines is one")
OPENVINO = {"onnx__openvino": [case("a", "onnx.abs", "unsupported", reason="a ceiling"),
                               case("b", "onnx.neg", "pass")],
            "onnx_openvino_native": [case("a", "onnx.abs", "pass"),
                                     case("b", "onnx.neg", "fail", "unlisted")]}
done = run("openvino", **OPENVINO)
check(counts(done, "openvino") == [2, 2, 2, 0, 0, 0, 0],
      "of a case that two targets were asked counts the first that ran it", done)
expect(run("openvino", onnx__openvino=OPENVINO["onnx__openvino"]), 3,
       ["onnx_openvino_native: assay certify ended with 3"], "a target that cannot be asked")
expect(run("nobody"), 2, ["no backend nobody: there are onnxruntime, openvino, torch, jax"],
       "there is no such backend")
finish()
