# SPDX-License-Identifier: Apache-2.0
"""Errors that lean to one side: an accumulator that rounds toward zero fails every case of RN-SUMS
and the sums that rounding moves to one side, and no other case; those that round to nearest, in
whatever order, blocks and fusion, fail none. Of 64 errors that lean it is said how improbable they
are.
"""

import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, "harness/tests")
from tap import check, finish  # noqa: E402

BUILD = os.environ.get("BUILD", "build")
VARIANTS = 12


def failures(plugin, *options, variant=1):
    """The ids of the cases of onednn.rnn that fail, of those that pass, and reasons."""
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "out.jsonl")
        subprocess.run(
            [os.path.join(BUILD, "assay"), "certify", "--plugin",
             os.path.join(BUILD, "zoo", plugin + ".so"), "--suite", "onednn.rnn", "--quick",
             "--quiet", "--no-explain", "--out", out, *options],
            env=dict(os.environ, ASSAY_ZOO_VARIANT=str(variant)), check=False,
            stdout=subprocess.DEVNULL)
        with open(out, encoding="utf-8") as lines:
            records = [r for r in map(json.loads, lines) if "case" in r]
    failed = [r for r in records if r["verdict"] == "fail"]
    return (sorted(r["case"] for r in failed),
            {r["case"] for r in records if r["verdict"] == "pass"},
            [r.get("reason", "") for r in failed if "unbiased" in r["case"]])


failed, passed, reasons = failures("truncates")
named = ["sums-one-sided-gru-x", "sums-one-sided-lbr_gru-x", "sums-one-sided-lstm-x",
         "sums-pair-2", "sums-pair-514", "sums-pair-66", "sums-pair-bias", "sums-pair-states",
         "sums-unbiased-511", "sums-unbiased-63", "sums-unbiased-states"]
check(failed == named and len(passed) > 400, "toward zero fails the cases of sums, and no other",
      (failed, len(passed)))
check(len(reasons) == 3 and all("64 of 64 errors are toward zero" in r for r in reasons),
      "and it is said that all errors are toward zero", reasons)
wrong = [(v, failed) for v in range(1, VARIANTS + 1)
         for failed, passed, _ in [failures("good_rnn", "--case", "sums-*", variant=v)]
         if failed or not passed.issuperset(named)]
check(not wrong, f"{VARIANTS} ways of rounding to nearest fail none", wrong)
finish()
