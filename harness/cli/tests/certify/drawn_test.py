# SPDX-License-Identifier: Apache-2.0
"""Drawn cases: a target that knows the answers to a suite conforms without them and fails with
them; a seed draws the same cases everywhere, and the name of one says all of it. TAP."""

import base64
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, "harness/tests")
import given  # noqa: E402
from process_target import write  # noqa: E402
from tap import check, finish  # noqa: E402

BUILD = os.environ.get("BUILD", "build")
ASSAY = os.path.join(BUILD, "assay")
# Knows nothing but what was written down of the requests of the suite.
MEMORY = """
PATH = sys.argv[0] + ".json"
KNOWN = json.load(open(PATH)) if os.path.exists(PATH) else {}


def key(request):
    inputs = request["inputs"]
    return json.dumps([request["attributes"].get(name, default) for name, default in
                       (("width", None), ("rounds", "10"))] +
                      [[inputs[name]["dtype"], inputs[name]["shape"], inputs[name]["bits"]]
                       for name in ("counter", "key") if name in inputs])


def supports(asked):
    counter = asked["inputs"]["counter"]
    fits = counter["dtype"] == "u32" and counter["shape"] == [4]
    return {"supported": True} if fits else {"unsupported": "another form"}


def run(request):
    return KNOWN.get(key(request), {"outputs": {"output": {
        "dtype": "u32", "shape": [4], "bits": ["00000000"] * 4}}})
"""
# Answers as the reference does, and writes down what it was asked.
ASKS = MEMORY[:MEMORY.index("def run")] + """
def run(request):
    KNOWN[key(request)] = answer = evaluate(request)
    with open(%r, "w") as file:
        json.dump(KNOWN, file)
    return answer
"""


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, check=False)


with tempfile.TemporaryDirectory() as folder:
    at = given.files(folder)

    def certify(*more):
        return run(ASSAY, "certify", "--suite", "philox", "--no-explain", *more)

    # ---- one that asks the reference is not found out, as the certificate says -------------------
    write(at("asks"), ["philox"], ASKS % at("memory.json"))
    done = certify("--exec", at("asks"), "--quiet")
    check(done.returncode == 0 and "conforms" in done.stdout,
          "a target that asks the reference conforms", done.stdout + done.stderr)

    # ---- one that knows the answers is -----------------------------------------------------------
    given.keys(folder)
    write(at("memory"), ["philox"], MEMORY)
    done = certify("--exec", at("memory"), "--quiet", "--out", at("plain.jsonl"), "--sign",
                   at("key.pem"))
    check(done.returncode == 0 and os.path.exists(at("plain.certificate.jsonl")),
          "a target that knows the answers conforms", done.stdout + done.stderr)
    done = run(ASSAY, "verify", "--key", at("key.pub"), "--exec", at("memory"),
               at("plain.certificate.jsonl"))
    check(done.returncode == 0 and "not seen  no case was drawn" in done.stdout,
          "and its certificate says that this is not excluded", done.stdout + done.stderr)
    for seed in ("draw", "7"):
        done = certify("--exec", at("memory"), "--seed", seed, "--out", at("drawn.jsonl"),
                       "--sign", at("key.pem"))
        failed = [json.loads(line) for line in open(at("drawn.jsonl")) if '"fail"' in line]
        names = [record["case"] for record in failed if record["record"] == "case"]
        check(done.returncode == 1 and not os.path.exists(at("drawn.certificate.jsonl"))
              and names and all(name.startswith("drawn-") for name in names),
              f"with --seed {seed} it fails, in drawn cases alone", done.stdout + done.stderr)

    # ---- one that computes is not accused --------------------------------------------------------
    for suite in ("philox", "threefry", "openvino.random_uniform", "jax.random", "cousins",
                  "directml.random_generator"):
        done = run(ASSAY, "certify", "--target", "reference", "--suite", suite, "--seed", "draw",
                   "--quiet")
        check(done.returncode == 0 and ": conforms" in done.stdout,
              f"{suite}: the reference conforms in drawn cases", done.stdout + done.stderr)
    cases = []
    for _ in range(2):
        done = run(ASSAY, "certify", "--target", "random123", "--suite", "philox", "--seed",
                   "draw", "--out", at("good.jsonl"), "--sign", at("key.pem"))
        records = [json.loads(line) for line in open(at("good.jsonl"))]
        cases.append({record["case"] for record in records[1:-1]
                      if record["case"].startswith("drawn-")})
        check(done.returncode == 0 and records[0].get("drawn") is True and cases[-1]
              and f"%016x" % int(records[0]["seed"]) in min(cases[-1])
              and "drawn, once its files were digested, with the seed" in done.stdout,
              "a right target conforms, and the results say with which seed", done.stdout)
    check(not cases[0] & cases[1], "each drawing is another")
    with open(at("good.certificate.jsonl")) as file:
        said = json.loads(base64.b64decode(json.loads(file.readlines()[1])["payload"]))["predicate"]
    check(said["run"]["seed"] == records[0]["seed"]
          and not any("no case was drawn" in line for line in said["notExcluded"]),
          "and so does its certificate", said["run"])
    done = run(ASSAY, "verify", "--key", at("key.pub"), "--rerun", "8",
               at("good.certificate.jsonl"))
    check(done.returncode == 0 and "again     philox/drawn-" in done.stdout,
          "verify runs drawn cases again", done.stdout + done.stderr)
    done = run(ASSAY, "report", "--certificate", at("no"), "--sign", at("key.pem"),
               at("good.jsonl"))
    check(done.returncode == 2 and "draws anew" in done.stderr,
          "no certificate is made later of cases that were drawn", done.stderr)

    # ---- the name says all -----------------------------------------------------------------------
    name = "drawn-0000000000000007-published-4x32-r10-pi"
    one = run(ASSAY, "show", name, "--suite", "philox")
    other = run(ASSAY, "show", name.replace("7-", "8-", 1), "--suite", "philox")
    plain = run(ASSAY, "show", name.split("-", 2)[2], "--suite", "philox")
    words = [next((line for line in done.stdout.splitlines() if line.startswith("request")), "")
             .split('"inputs"')[-1] for done in (one, other, plain)]
    check(all(words) and len(set(words)) == 3, "another seed draws other data", words)
    done = run(ASSAY, "run", name, "--suite", "philox", "--target", "random123")
    check(done.returncode == 0, "a drawn case runs by its name", done.stdout + done.stderr)
    whole = run(ASSAY, "certify", "--target", "random123", "--suite", "philox", "--seed", "7",
                "--quiet", "--out", at("whole.jsonl"))
    run(ASSAY, "certify", "--target", "random123", "--suite", "philox", "--seed", "7", "--jobs",
        "2", "--quiet", "--out", at("jobs.jsonl"))
    check(open(at("whole.jsonl")).read() == open(at("jobs.jsonl")).read(),
          "a seed gives the same results in several processes")
    for wrong in ("x", "-1", "18446744073709551616", ""):
        done = run(ASSAY, "certify", "--target", "random123", "--suite", "philox", "--seed", wrong)
        check(done.returncode == 2, f"'{wrong}' is no seed", done.stderr)
finish()
