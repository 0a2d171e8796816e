# SPDX-License-Identifier: Apache-2.0
"""Errors that lean to one side, in the sums of declared operators: accumulators that cut off fail
the pairs (one rounding, whatever the tree) and the unbiased cases (with a proved rate); those that
round to nearest, in whatever order and blocks, fail none."""

import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, "harness/tests")
from tap import check, finish  # noqa: E402

BUILD = os.environ.get("BUILD", "build")
FULL = os.environ.get("ASSAY_FULL") == "1"
SUITES = ["mat_mul", "gemm", "reduce_sum", "cum_sum", "attention"]
ROUNDING = ["chain", "reversed", "pairs", "blocks", "lanes", "compensated", "shuffled", "wide"]


def certify(order, rounding, suite, pattern):
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "out.jsonl")
        target = f"{sys.executable} ref/op/tests/declared/adding.py {order} {rounding}"
        done = subprocess.run(
            [os.path.join(BUILD, "assay"), "certify", "--exec", target, "--suite",
             f"onnx.{suite}", "--case", pattern, "--quick", "--quiet", "--no-explain",
             "--out", out], env=dict(os.environ, PYTHONPATH="harness/python"), check=False,
            capture_output=True, text=True)
        if not os.path.exists(out):
            raise AssertionError(done.stderr)
        with open(out, encoding="utf-8") as lines:
            return [r for r in map(json.loads, lines) if "case" in r]


def verdicts(order, rounding, suites):
    """Cases by verdict, and the reasons of those that fail."""
    found, reasons = {}, {}
    for suite in suites:
        for pattern in ("pair-*", "unbiased*") if suite != "attention" else ("unbiased*",):
            for r in certify(order, rounding, suite, pattern):
                found.setdefault(r["verdict"], []).append(f"{suite}/{r['case']}")
                if r["verdict"] == "fail":
                    reasons[f"{suite}/{r['case']}"] = r.get("reason", "")
    return found, reasons


def main():
    for order in ROUNDING if FULL else ("chain", "pairs"):
        found, reasons = verdicts(order, "cut", SUITES if FULL or order == "chain" else SUITES[:1])
        # Sums of 16-bit numbers are exact in the accumulator, and stored to nearest.
        # A compensated sum that cuts off is nearly as good as one that rounds: pairs alone see it.
        missed = [c for c in found.get("pass", []) if "f16" not in c and
                  not (order == "compensated" and "unbiased" in c)]
        check(not missed and len(found.get("fail", [])) >= 5,
              f"{order}, cut off: {len(found.get('fail', []))} cases fail, and none that must "
              "passes", [missed, found])
        # Of its unbiased cases a single element may fail, where an answer is a sum of two: no lean.
        leaning = [r for c, r in reasons.items() if "unbiased" in c and
                   (r or order != "compensated")]
        wide = [c for c in reasons if "f64" in c]
        check(len(wide) >= (5 if order != "pairs" or FULL else 1), f"{order}, cut off: {len(wide)} "
              "cases of f64 among them", wide)
        check(leaning and all("64 of 64 errors are toward zero" in r for r in leaning),
              f"{order}, cut off: all errors are said to be toward zero", leaning)
    for order in ROUNDING if FULL else ("blocks", "shuffled"):
        found, reasons = verdicts(order, "nearest", SUITES if FULL or order == "blocks" else
                                  SUITES[2:3])
        check("fail" not in found and len(found.get("pass", [])) >= 5,
              f"{order}, to nearest: none of {len(found.get('pass', []))} cases fails",
              [found, reasons])
    finish()


main()
