# SPDX-License-Identifier: Apache-2.0
"""Algorithms of products: implementations that do what a name says, in whatever order, with
operands rounded or cut off and products fused or not, fail no case of the suite; mistakes fail the
case that is named for them."""

import json
import os
import random
import secrets
import subprocess
import sys
import tempfile

sys.path.insert(0, "harness/tests")
from tap import check, finish  # noqa: E402

BUILD = os.environ.get("BUILD", "build")
FULL = os.environ.get("ASSAY_FULL") == "1"
SEED = int(os.environ.get("ASSAY_SEED", secrets.randbits(32)))
ORDERS = ["chain", "reversed", "pairs", "blocks", "lanes", "shuffled"]
SPLITS, PRODUCTS = ["near", "cut"], ["fused", "rounded"]
NEAREST = ["any_f8_any_f8_f32", "f16_f16_f16", "f16_f16_f32", "bf16_bf16_bf16", "bf16_bf16_f32",
           "bf16_bf16_f32_x3", "bf16_bf16_f32_x6", "bf16_bf16_f32_x9", "tf32_tf32_f32",
           "tf32_tf32_f32_x3", "f32_f32_f32", "f64_f64_f64"]
BITS = {f"bits-{name}" for name in NEAREST}
THREE = {"parts-bf16_bf16_f32_x6", "parts-bf16_bf16_f32_x9"}
TWO = THREE | {"parts-bf16_bf16_f32_x3", "parts-tf32_tf32_f32_x3"}
# Which cases fail at least. Nine products lack no more than roundings do where one of a second and
# a third component, or of both thirds, is left out; three components of 4 bits hold all digits.
MISTAKES = {
    "truncated": BITS,
    "accumulator": BITS | {"bits-any_f8_any_f8_f32_fast_accum"},
    "operands": BITS - {"bits-any_f8_any_f8_f32", "bits-f16_f16_f16", "bits-bf16_bf16_bf16",
                        "bits-bf16_bf16_f32_x6", "bits-bf16_bf16_f32_x9"},
    "part00": BITS, "part01": TWO, "part10": TWO, "part11": THREE, "part02": THREE,
    "part20": THREE,
}


def verdicts(*how):
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "out.jsonl")
        target = f"{sys.executable} ref/op/tests/declared/dots.py {' '.join(how)}"
        done = subprocess.run(
            [os.path.join(BUILD, "assay"), "certify", "--exec", target, "--suite",
             "stablehlo.dot_general", "--quick", "--quiet", "--no-explain", "--out", out],
            env=dict(os.environ, PYTHONPATH="harness/python"), check=False, capture_output=True,
            text=True)
        if not os.path.exists(out):
            raise AssertionError(done.stderr)
        found = {}
        with open(out, encoding="utf-8") as lines:
            for r in map(json.loads, lines):
                if "case" in r:
                    found.setdefault(r["verdict"], set()).add(r["case"])
        return found


def main():
    print(f"# seed {SEED}")
    rng = random.Random(SEED)
    ways = [(o, s, p) for o in ORDERS for s in SPLITS for p in PRODUCTS]
    for way in ways if FULL else rng.sample(ways, 3):
        found = verdicts(*way)
        passed = found.get("pass", set())
        check(set(found) <= {"pass", "unsupported"} and BITS - passed <= {"bits-f64_f64_f64"},
              f"{' '.join(way)}: none of {len(passed)} cases fails", [SEED, found])
    for mistake, cases in MISTAKES.items():
        found = verdicts(*rng.choice(ways), mistake)
        missed = cases - found.get("fail", set()) - found.get("unsupported", set())
        check(not missed, f"{mistake}: the {len(cases)} cases named for it fail", [SEED, missed])
    finish()


main()
