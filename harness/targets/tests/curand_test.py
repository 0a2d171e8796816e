# SPDX-License-Identifier: Apache-2.0
"""cuRAND's generators that compute on the processor, beside the reference: any seed, offset and
number of elements. Skipped where nvidia-curand is not installed (scripts/setup all)."""

import json
import os
import random
import subprocess
import sys

sys.path.insert(0, "harness/tests")
from tap import check, finish, skip  # noqa: E402

BUILD = os.environ.get("BUILD", "build")
ASSAY, FOLDER = os.path.join(BUILD, "assay"), os.path.join(BUILD, "test-curand")
TURN = 4 * 65536
CHOICES = {"first_block": {"default": "as_documented", "deviant": ["other"]},
           "offset_of_f64": {"default": "elements", "deviant": ["words"]},
           "pair_of_normals": {"default": "sine_first", "deviant": ["cosine_first"]}}
rng = random.Random(28)


def assay(*arguments, **environment):
    return subprocess.run([ASSAY, *arguments], capture_output=True, text=True,
                          env=os.environ | environment)


def cases():
    for i in range(24):
        kind, dtype = rng.choice([("bits", "u32"), ("uniform", "f32"), ("uniform", "f64"),
                                  ("normal", "f32"), ("normal", "f64")])
        # An offset of doubles is right below a turn (reports/findings/curand-offset.md).
        last = TURN - 500 if dtype == "f64" else 2**40
        yield {"id": f"drawn-{i}", "covers": ["R"], "op": f"curand.philox_{kind}",
               "attributes": {"dtype": dtype, "count": 2 * rng.randint(1, 200)},
               "inputs": {"seed": rng.getrandbits(63), "offset": rng.randint(0, last)}}


def main():
    os.makedirs(FOLDER, exist_ok=True)
    suite = os.path.join(FOLDER, "drawn.yaml")
    with open(suite, "w") as file:
        json.dump({"suite": "drawn", "version": "1.0.0", "specification": {"title": "drawn"},
                   "requirements": {"R": {"text": "draws"}}, "choices": CHOICES,
                   "cases": list(cases())}, file)
    assay("emit", "--suite", suite, "--write")
    done = assay("certify", "--target", "curand", "--suite", suite, "--quick")
    if "not installed" in done.stdout + done.stderr:
        skip("cuRAND's host generators", "nvidia-curand is not installed (scripts/setup all)")
        return finish()
    check("24 cases, 0 unexpected" in done.stdout and done.returncode == 0,
          "24 drawn requests of words, floats and normal numbers agree", done.stdout)
    done = assay("certify", "--target", "curand", "--suite", "cousins", "--known",
                 "harness/targets/known.yaml", "--quick")
    check("0 unexpected, 4 expected failures" in done.stdout and done.returncode == 0,
          "the suite: doubles at an offset are as listed, all else passes", done.stdout)
    done = assay("certify", "--target", "curand_device", "--suite", "cousins", "--quick",
                 ASSAY_CUDART=os.path.join(FOLDER, "none"))
    check(done.returncode == 3 and "set ASSAY_CUDART to libcudart" in done.stdout + done.stderr,
          "without CUDA's runtime the target for a device says so", done.stdout + done.stderr)
    finish()


main()
