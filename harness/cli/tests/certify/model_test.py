# SPDX-License-Identifier: Apache-2.0
"""A target is held to the evaluation model that it declares: what lies outside the standard bounds
is inside wider ones, a model that cannot be read is no model, and results name what was declared.

TAP on standard output.
"""
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, "harness/tests")
from process_target import write  # noqa: E402
from tap import check, finish  # noqa: E402

ASSAY = os.path.abspath(os.path.join(os.environ.get("BUILD", "build"), "assay"))
CASES = "one-dense-vanilla-tanh-f32"

# A library whose tanh is off by 40 ulp.
COARSE = """
def run(request):
    answer = evaluate(request)
    for tensor in answer["outputs"].values():
        tensor["bits"] = ["%08x" % (int(bits, 16) + 40) for bits in tensor["bits"]]
    return answer
"""


def certify(work, model):
    program = write(os.path.join(work, "coarse.py"), ["onednn.rnn"], COARSE, **model)
    out = os.path.join(work, "out.jsonl")
    if os.path.exists(out):
        os.remove(out)
    done = subprocess.run([
        ASSAY, "certify", "--exec", program, "--suite", "onednn.rnn",
        "--case", CASES, "--quick", "--out", out
    ], capture_output=True, text=True, check=False)
    records = [json.loads(line)
               for line in open(out, encoding="utf-8")] if os.path.exists(out) else []
    return done, records


def main():
    with tempfile.TemporaryDirectory() as work:
        done, records = certify(work, {})
        check(done.returncode == 1 and "model" not in records[0]["targets"][0],
              "40 ulp lie outside the standard bounds", done.stdout + done.stderr)
        wide = '{"tanh_ulps": 100}'
        done, records = certify(work, {"model": wide})
        check(done.returncode == 0, "they lie inside the bounds of who declares 100",
              done.stdout + done.stderr)
        check(
            bool(records) and records[0]["targets"][0].get("model") == wide,
            "the results name the model",
            str(records[:1])[:400])
        done, _ = certify(work, {"model": '{"tanh_ulps": "many"}'})
        check(done.returncode not in (0, 1) and "tanh_ulps" in done.stderr + done.stdout,
              "a model that cannot be read is refused",
              f"{done.returncode} {done.stdout}{done.stderr}")
    finish()


main()
