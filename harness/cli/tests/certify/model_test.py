# SPDX-License-Identifier: Apache-2.0
"""A target is held to the evaluation model that it declares: what lies outside the standard bounds
is inside wider ones, a model that cannot be read is no model, and results name what was declared.
A list of known failures is held to the same bounds, in the run and against its results.

TAP on standard output.
"""
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, "harness/tests")
sys.path.insert(0, os.path.join("reports", "tests"))
import sample  # noqa: E402
from process_target import write  # noqa: E402
from tap import check, finish  # noqa: E402

ASSAY = os.path.abspath(os.path.join(os.environ.get("BUILD", "build"), "assay"))
CASES = "one-dense-vanilla-tanh-f32"

# A library whose tanh is off by 40 ulp, and that computes as `profile` says.
COARSE = """
def run(request):
    answer = evaluate(dict(request, profile=PROFILE))
    for tensor in answer["outputs"].values():
        tensor["bits"] = ["%08x" % (int(bits, 16) + 40) for bits in tensor["bits"]]
    return answer
"""


# What a list says of it.
KNOWN = """classes: "*"
known:
  - {target: coarse, suite: onednn.rnn, case: "*", equals: %s, why: a test}
"""
DEVIANT = {"weights_layer": "rows_reversed"}


def certify(work, model, *options, profile=None):
    program = write(os.path.join(work, "coarse.py"), ["onednn.rnn"],
                    COARSE.replace("PROFILE", repr(profile or {})), **model)
    out = os.path.join(work, "out.jsonl")
    if os.path.exists(out):
        os.remove(out)
    done = subprocess.run([
        ASSAY, "certify", "--exec", program, "--suite", "onednn.rnn",
        "--case", CASES, "--quick", "--out", out, *options
    ], capture_output=True, text=True, check=False)
    records = [json.loads(line)
               for line in open(out, encoding="utf-8")] if os.path.exists(out) else []
    return done, records


def against(records, known):
    lines = sample.lines(records[0], records[1:-1]).decode()
    return subprocess.run([ASSAY, "known", "--against", "-", "--known", known], input=lines,
                          capture_output=True, text=True, check=False)


def check_known(work, wide):
    """What a list says holds for the results as it does in the run, under the declared model."""
    known = os.path.join(work, "known.yaml")
    with open(known, "w", encoding="utf-8") as file:
        file.write(KNOWN % json.dumps(DEVIANT))
    done, records = certify(work, {"model": wide}, "--known", known, profile=DEVIANT)
    check(done.returncode == 0 and "1 expected" in done.stdout,
          "a listed failure of a target with a model is expected", done.stdout + done.stderr)
    done = against(records, known)
    check(done.returncode == 0 and "1 covered" in done.stdout,
          "its results are held to the declared model, too", done.stdout + done.stderr)
    target = records[0]["targets"][0]
    del target["model"]
    done = against(records, known)
    check(done.returncode == 1 and "1 contradicted" in done.stdout,
          "without the model they contradict the list", done.stdout + done.stderr)
    for model, says in (('{"tanh_ulps": "many"}', "tanh_ulps"), ("x" * 256, "at most 255 bytes")):
        target["model"] = model
        done = against(records, known)
        check(done.returncode == 2 and says in done.stderr,
              "results with a model that is none are refused", done.stdout + done.stderr)


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
        check_known(work, wide)
        done, _ = certify(work, {"model": '{"tanh_ulps": "many"}'})
        check(done.returncode not in (0, 1) and "tanh_ulps" in done.stderr + done.stdout,
              "a model that cannot be read is refused",
              f"{done.returncode} {done.stdout}{done.stderr}")
    finish()


main()
